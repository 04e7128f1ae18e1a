import { z } from 'zod';

const Secret = z.string().min(1).max(128);
const gateway_token = Secret.describe('Token of the gateway, as returned at its creation.');

export const BeginParams = z.object({
  ticket: Secret.describe('Ticket that the client received with its connection.'),
  client_ip: z.string().max(64).describe('IP address of the client, as seen by the gateway.'),
  gateway_token,
});

export const EndParams = z.object({
  notify: Secret.describe('`notify` that the ticket call returned.'),
  gateway_token,
});

/** Other parameters are ignored. */
export const BeginQuery = z.object({});

/** Counters above the largest safe integer are capped, so that the end of the tunnel is still recorded. */
const Bytes = z
  .string()
  .max(64)
  .regex(/^\d*$/)
  .optional()
  .transform((digits) => Math.min(Number(digits ?? 0), Number.MAX_SAFE_INTEGER));

export const EndQuery = z.object({
  sent: Bytes.meta({ example: '4096' }).describe(
    'Bytes sent through the tunnel, as counted by the gateway. Default 0.',
  ),
  recv: Bytes.meta({ example: '1048576' }).describe(
    'Bytes received through the tunnel, as counted by the gateway. Default 0.',
  ),
});

export const Tunnel = z.strictObject({
  host: z.string().describe('Host to which the gateway connects.'),
  port: z.int().describe('TCP port to which the gateway connects.'),
  notify: z.string().describe('Secret that reports the end of this tunnel. Valid while the tunnel is open.'),
  tunnel_key: z
    .string()
    .describe(
      'Key of the tunnel, which the client can compute as well: SHA-256 of `tunnel:<ticket>` in base64url.',
    ),
});

export const Ended = z.strictObject({});
