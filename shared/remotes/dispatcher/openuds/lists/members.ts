import { z } from 'zod';
import { isStorable } from '../../../../kernel/text.ts';

/* Members of rows of the broker, in the form in which the database stores them. */

/** Empty texts are absent. */
export const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine(isStorable)
    .nullish()
    .transform((value) => value || null);
/** The same, where an empty text is a value. */
export const label = (max: number) =>
  z
    .string()
    .max(max)
    .refine(isStorable)
    .nullish()
    .transform((value) => value ?? null);
export const count = z
  .number()
  .int()
  .min(0)
  .max(2_147_483_647)
  .nullish()
  .transform((value) => value ?? null);
export const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? null);

/** The broker writes this date, or the local midnight of it, for "never". */
const neverBefore = Date.UTC(1973, 0, 1) / 1_000;

/** Seconds since 1970, as RFC 3339. */
export const moment = z
  .number()
  .int()
  .max(4_102_444_800)
  .nullish()
  .transform((value) => (value && value >= neverBefore ? new Date(value * 1_000).toISOString() : null));

/** The broker writes a translated word for an absent address or version; neither has a digit. */
export const withDigit = (max: number) =>
  text(max).transform((value) => (value !== null && /\d/.test(value) ? value : null));

export const address = text(64).transform((value) =>
  value !== null && /^[0-9a-fA-F.:]+$/.test(value) && /\d/.test(value) ? value : null,
);
