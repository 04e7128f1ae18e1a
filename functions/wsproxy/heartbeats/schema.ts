import { z } from 'zod';

/** Counters above the largest safe integer are capped to it. */
const Figure = z
  .number()
  .min(0)
  .nullish()
  .transform((value) => (value == null ? undefined : Math.min(Math.trunc(value), Number.MAX_SAFE_INTEGER)));

/** Unknown fields are ignored. Null is the same as absent. */
export const HeartbeatBody = z.object({
  connections: Figure.meta({ example: 12 }).describe('Number of open tunnels.'),
  sent: Figure.meta({ example: 52_428_800 }).describe('Bytes sent since the gateway started counting.'),
  received: Figure.meta({ example: 734_003_200 }).describe(
    'Bytes received since the gateway started counting.',
  ),
  version: z
    .string()
    .trim()
    .max(64)
    .nullish()
    .transform((value) => value ?? undefined)
    .meta({ example: '4.0.1' })
    .describe('Version of the gateway.'),
});

export const HeartbeatResult = z.strictObject({});
