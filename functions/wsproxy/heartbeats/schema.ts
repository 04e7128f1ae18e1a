import { z } from 'zod';

/** What a gateway has counted beyond a double's whole numbers is told as the last of them. */
const Figure = z
  .number()
  .min(0)
  .nullish()
  .transform((value) => (value == null ? undefined : Math.min(Math.trunc(value), Number.MAX_SAFE_INTEGER)));

/** Members that are not known are of no interest, and null is the same as absent. */
export const HeartbeatBody = z.object({
  connections: Figure.meta({ description: 'Tunnels that are open', example: 12 }),
  sent: Figure.meta({ description: 'Bytes sent since it counts', example: 52_428_800 }),
  received: Figure.meta({ description: 'Bytes received since it counts', example: 734_003_200 }),
  version: z
    .string()
    .trim()
    .max(64)
    .nullish()
    .transform((value) => value ?? undefined)
    .meta({ example: '4.0.1' }),
});

export const Noted = z.strictObject({});
