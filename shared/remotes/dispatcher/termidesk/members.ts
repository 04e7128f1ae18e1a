import { z } from 'zod';
import { isStorable } from '../../../kernel/text.ts';

/*
 * Members of responses of dispatcher nodes. Unused members are dropped; used members have limits. `stored` accepts
 * texts that the database can store. `line` also rejects control characters, because some values occur in connection
 * files.
 */
export const stored = (max: number) => z.string().max(max).refine(isStorable);
export const line = (max: number) => stored(max).regex(/^\P{Cc}*$/u);
export const text = (max: number) =>
  stored(max)
    .nullish()
    .transform((value) => value ?? '');
export const optional = <T extends z.ZodType>(shape: T) =>
  shape.nullish().transform((value) => value ?? undefined);
export const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);
export const seconds = z.number().int().min(0).max(31_536_000);
export const port = z.number().int().min(1).max(65_535);
export const word = z.string().regex(/^[A-Za-z0-9_.:-]{1,64}$/);
