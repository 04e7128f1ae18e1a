import { z } from 'zod';
import { cleanCertificates, hasTrustSettings } from '../kernel/crypto/pem.ts';
import { isId } from '../kernel/ids.ts';
import { componentStates } from '../kernel/observability/component-state.ts';
import { isVisible, isWithoutIgnorables } from '../kernel/text.ts';
import type { ResourceType } from '../resources.ts';

export const ignorablesDetail = 'Must not contain invisible characters';

/** An identifier: any UUID. Responses contain it in lower case. */
export const Id = z
  .string()
  .refine(isId, 'Must be a UUID')
  .transform((id) => id.toLowerCase())
  .meta({
    format: 'uuid',
    maxLength: 36,
    example: '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11',
  });

/** Stops the checks after a failed maximum, because bodies with pictures can contain texts of 1 MiB. */
export const lengthFirst = { abort: true };

/** RFC 3339, UTC, milliseconds. */
export const Moment = z.iso.datetime({ precision: 3 }).meta({ example: '2026-11-21T08:30:00.000Z' });

/** Creation time of a record; every record has it and `UpdatedAt`. */
export const CreatedAt = Moment.describe('When the object was created. Set by the portal.');
export const UpdatedAt = Moment.describe('When the object was last changed. Set by the portal.');

const unencodedPlus = 'The plus sign of the offset must be sent as %2B in a query';

/** A time in a request: RFC 3339 with any offset and precision. It is converted to UTC with milliseconds. */
export const Instant = z.iso
  .datetime({
    offset: true,
    error: ({ input }) => (/T[\d:.]+ \d\d:\d\d$/.test(String(input)) ? unencodedPlus : undefined),
  })
  .max(40)
  .transform((text) => new Date(text).toISOString())
  .refine((text) => /^(?!0000)\d{4}-/.test(text), 'Must be a date and time in the years 1 to 9999')
  .meta({ format: 'date-time', example: '2026-11-21T08:30:00.000Z' });

/** An address that may have letters of any script (RFC 6531). */
export const EmailAddress = z.email({ pattern: z.regexes.unicodeEmail }).max(256);

/** Longest name of a user or a group, in characters: providers and directories have names of more than 200. */
export const longestPersonName = 256;

/**
 * A trimmed name of 1 to 128 characters with at least one visible character. Record writes also reject
 * default-ignorable code points in new names (`assertNewName`). Names from directories and older names can contain
 * them.
 */
export const Name = nameWithin(128).meta({ example: 'North' });

/** A name of a user or a group. */
export const PersonName = nameWithin(longestPersonName).meta({ example: 'ada' });

function nameWithin(most: number) {
  return z
    .string()
    .trim()
    .min(1)
    .max(most, lengthFirst)
    .regex(/^[^\p{Cc}]*$/u, 'Must not contain control characters')
    .refine((name) => name === '' || isVisible(name), 'Must contain a visible character');
}

/** A name that cannot come from a directory, so it never contains default-ignorable code points. */
export const PlainName = Name.refine(isWithoutIgnorables, ignorablesDetail);

/** The same of a user or a group. */
export const PlainPersonName = PersonName.refine(isWithoutIgnorables, ignorablesDetail);

export const Comments = z
  .string()
  .max(1024)
  .default('')
  .meta({ example: '', 'x-multiline': true })
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

/** Tag names of an object. */
export const TagNames = z
  .array(TagName)
  .max(50)
  .default([])
  .describe('Names of the tags of the object. Default: none.');

/** Tag names of an object of a dispatcher: every name that a dispatcher can report can be sent back. */
export const NodeTagNames = z.array(z.string().min(1).max(64)).max(50);

/** The identifier of an object of this type. Pages offer these objects for selection. */
export const idOf = (type: ResourceType) => Id.meta({ 'x-reference': type });

/** Ids of other objects. The order is not significant, and duplicates are removed. */
export const Ids = idList(Id);

/** Ids in the query of a list, so that the names of several objects are read with one request. */
export const IdsFilter = z
  .string()
  .max(3_699)
  .refine((text) => text.split(',').every(isId), 'Must be 1 to 100 UUIDs, separated by commas')
  .transform((text) => text.toLowerCase().split(','))
  .optional()
  .meta({ example: '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11' })
  .describe('Only objects with these identifiers, separated by commas, at most 100.');

/** Ids of objects of this type. */
export const idsOf = (type: ResourceType) => idList(idOf(type));

function idList(id: typeof Id) {
  return z
    .array(id)
    .max(1000)
    .transform((ids) => [...new Set(ids)].sort());
}

/** PEM certificates, normalised. Text around them is removed. */
export const Certificates = z
  .string()
  // Several pages of 500 objects must fit into the 128 MB of memory of a Worker.
  .max(16_384)
  .regex(/-----BEGIN (TRUSTED )?CERTIFICATE-----/, 'Must be PEM certificates')
  .transform((text, { addIssue }) => {
    const clean = cleanCertificates(text);
    if (clean !== undefined) return clean;
    addIssue(
      hasTrustSettings(text)
        ? 'A TRUSTED CERTIFICATE must be converted first: openssl x509 -in FILE -out OTHER'
        : 'Must contain complete PEM certificates, and no keys',
    );
    return z.NEVER;
  })
  .meta({ 'x-multiline': true });

/** A boolean query parameter. */
export const Flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** The page size in a query. Only digits are accepted. */
export const PageLimit = z
  .preprocess(
    (text) => (typeof text === 'string' && /^\d{1,3}$/.test(text) ? Number(text) : text),
    z.int('Must be an integer from 1 to 500').min(1).max(500),
  )
  .default(50);

/** An optional boolean filter of a list. */
export const flagFilter = Flag.optional();

/** Probe result of a site or farm, regardless of whether it is enabled. */
export const Status = z.enum(['pass', 'fail', 'unknown']);

export const State = z
  .enum(componentStates)
  .describe(
    'State as in the health check: `pass`, `fail`, `maintenance` or `disabled` (also of the farm or the site), or `unknown` (no nodes, or not probed yet). Only `fail` is a failure.',
  );

/** Changed members of an object, in the form of audit events. */
export const Changes = z
  .array(
    z.strictObject({
      field: z.string().describe('Name of the changed field.'),
      before: z.unknown().describe('Value before the change. Null if the field was not set.'),
      after: z.unknown().describe('Value after the change. Null if the field was removed.'),
    }),
  )
  .describe('Changed fields with their old and new values. Secrets are masked.');
