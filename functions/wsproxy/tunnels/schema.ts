import { z } from 'zod';

const Secret = z.string().min(1).max(128);
const gateway_token = Secret.meta({ description: 'The token of the gateway, as its creation showed it' });

export const BeginParams = z.object({
  ticket: Secret.meta({ description: 'What the client got with its connection' }),
  client_ip: z.string().max(64).meta({ description: 'The address that the client comes from' }),
  gateway_token,
});

export const EndParams = z.object({
  notify: Secret.meta({ description: 'What the answer to the ticket gave' }),
  gateway_token,
});

/** Further parameters are of no interest here. */
export const BeginQuery = z.object({});

/** A gateway may have counted further than a double can; the end of its tunnel counts all the same. */
const Bytes = z
  .string()
  .max(64)
  .regex(/^\d*$/)
  .optional()
  .transform((digits) => Math.min(Number(digits ?? 0), Number.MAX_SAFE_INTEGER));

export const EndQuery = z.object({
  sent: Bytes.meta({ description: 'Bytes sent, as the gateway counts them', example: '4096' }),
  recv: Bytes.meta({ description: 'Bytes received, as the gateway counts them', example: '1048576' }),
});

export const Tunnel = z.strictObject({
  host: z.string().meta({ description: 'Where the tunnel leads' }),
  port: z.int(),
  notify: z.string().meta({ description: 'Ends this tunnel and no other; good for as long as it is open' }),
  tunnel_key: z
    .string()
    .meta({ description: 'A key that the client knows as well: SHA-256 of `tunnel:<ticket>` in base64url' }),
});

export const Ended = z.strictObject({});
