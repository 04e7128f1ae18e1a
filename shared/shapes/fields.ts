import { z } from 'zod';
import { cleanCertificates } from '../kernel/crypto/pem.ts';
import { isId } from '../kernel/ids.ts';
import { componentStates } from '../kernel/observability/component-state.ts';
import { isVisible, isWithoutIgnorables } from '../kernel/text.ts';

export const ignorablesDetail = 'Must not contain invisible characters';

/** An identifier: any UUID, spelled in lower case in answers. */
export const Id = z
  .string()
  .refine(isId, 'Must be a UUID')
  .transform((id) => id.toLowerCase())
  .meta({
    format: 'uuid',
    maxLength: 36,
    example: '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11',
  });

/** A maximum after which no other check runs: bodies with pictures have room for texts of a mebibyte. */
export const lengthFirst = { abort: true };

/** RFC 3339, UTC, milliseconds. */
export const Moment = z.iso.datetime({ precision: 3 }).meta({ example: '2026-11-21T08:30:00.000Z' });

/** The moments that every record has. */
export const CreatedAt = Moment.describe('When the object was created. Set by the portal.');
export const UpdatedAt = Moment.describe('When the object was last changed. Set by the portal.');

/** A moment as a request may give it: RFC 3339, any offset and precision; becomes UTC with milliseconds. */
export const Instant = z.iso
  .datetime({ offset: true })
  .max(40)
  .transform((text) => new Date(text).toISOString())
  .refine((text) => /^(?!0000)\d{4}-/.test(text), 'Must be a date and time in the years 1 to 9999')
  .meta({ format: 'date-time', example: '2026-11-21T08:30:00.000Z' });

/**
 * A trimmed name of 1 to 128 characters, at least one of them visible. Writes of records refuse default-ignorable code
 * points in new names as well (`assertNewName`); names of directories and older names may have them.
 */
export const Name = z
  .string()
  .trim()
  .min(1)
  .max(128, lengthFirst)
  .regex(/^[^\p{Cc}]*$/u, 'Must not contain control characters')
  .refine((name) => name === '' || isVisible(name), 'Must contain a visible character')
  .meta({ example: 'North' });

/** A name that is written as a whole and has no directory behind it. */
export const PlainName = Name.refine(isWithoutIgnorables, ignorablesDetail);

export const Comments = z
  .string()
  .max(1024)
  .default('')
  .meta({ example: '' })
  .describe('Notes for administrators. Default: empty.');
export const Priority = z.int().min(0).max(10_000).default(1);

/** `#rrggbb`. */
export const Color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, 'Must be a colour #rrggbb')
  .meta({ maxLength: 7, example: '#1f6feb' });

export const TagName = z
  .string()
  .regex(/^[\w.:-]{1,64}$/, 'Must contain only letters, digits and _ . : -')
  .meta({ maxLength: 64, example: 'production' });

/** Names of tags that an object carries. */
export const TagNames = z
  .array(TagName)
  .max(50)
  .default([])
  .describe('Names of the tags of the object. Default: none.');

/** Ids of other objects; the order does not matter and a repetition counts once. */
export const Ids = z
  .array(Id)
  .max(1000)
  .transform((ids) => [...new Set(ids)].sort());

/** PEM certificates and nothing beside them, in one spelling. */
export const Certificates = z
  .string()
  // A page of 500 objects has to fit into the 128 MB of a Worker several times over.
  .max(16_384)
  .regex(/^\s*-----BEGIN CERTIFICATE-----/, 'Must be PEM certificates')
  .transform((text, { addIssue }) => {
    const clean = cleanCertificates(text);
    if (clean !== undefined) return clean;
    addIssue('Must contain only PEM certificates');
    return z.NEVER;
  });

/** A boolean in a query. */
export const Flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** How many items a page has, in a query: digits, and no other way to write a number. */
export const PageLimit = z
  .preprocess(
    (text) => (typeof text === 'string' && /^\d{1,3}$/.test(text) ? Number(text) : text),
    z.int('Must be an integer from 1 to 500').min(1).max(500),
  )
  .default(50);

/** A boolean among the filters of a list. */
export const flagFilter = Flag.optional();

/** What probes say of a site or farm, whether or not it is in use. */
export const Status = z.enum(['pass', 'fail', 'unknown']);

export const State = z
  .enum(componentStates)
  .describe(
    'State as in the health check: `pass`, `fail`, `maintenance` or `disabled` (also of the farm or the site), or `unknown` (no nodes, or not probed yet). Only `fail` is a failure.',
  );

/** Changed members of an object, as audit events have them. */
export const Changes = z
  .array(
    z.strictObject({
      field: z.string().describe('Name of the changed field.'),
      before: z.unknown().describe('Value before the change. Null if the field was not set.'),
      after: z.unknown().describe('Value after the change. Null if the field was removed.'),
    }),
  )
  .describe('Changed fields with their old and new values. Secrets are masked.');
