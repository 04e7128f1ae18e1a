import { z } from 'zod';
import { Address } from '../../../shapes/addresses.ts';
import { Uuid } from './list-shapes.ts';
import { flag, line, seconds, word } from './members.ts';

const value = z.union([z.boolean(), z.number(), line(4096), z.array(line(4096)).max(1000), z.null()]);
export const Policies = z
  .array(
    z.object({
      key: line(128).min(1),
      name: line(256),
      group: line(256),
      value,
      default: value,
      type: word,
      inherited: flag,
    }),
  )
  .max(1000);

export const Delivery = z.object({
  delivered: z.array(Uuid).max(100_000),
  failed: z.array(z.object({ workplace_uuid: Uuid, code: word })).max(100_000),
});

/** An administrator opens the URL. */
export const Assistance = z.object({
  url: Address('link'),
  expires_in: seconds,
});
