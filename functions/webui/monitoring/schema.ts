import { z } from 'zod';
import { CreatedAt, Id, Instant, Moment, UpdatedAt } from '../../../shared/shapes/fields.ts';
import { lowerBoundOf, upperBoundOf } from '../../../shared/shapes/ranges.ts';

const Level = z.enum(['info', 'warning', 'error', 'critical']);
const Source = z.enum(['portal', 'site', 'farm', 'dispatcher', 'gateway', 'domain', 'jobs', 'database']);
const State = z.enum(['open', 'acknowledged', 'closed']);
const Word = z.string().max(128);

export const MonitoringWrite = z.object({
  at: Instant.nullable().default(null).describe('When it happened. Default: now.'),
  level: Level.describe('Severity: `info`, `warning`, `error` or `critical`.'),
  source: Source.default('portal').describe(
    'Subject of the record: `portal`, `site`, `farm`, `dispatcher`, `gateway`, `domain` (a directory), `jobs` (background jobs) or `database`. Default `portal`.',
  ),
  object_type: Word.nullable()
    .default(null)
    .describe('Type of the object, as in operation identifiers. Default null: no object.'),
  object_id: Word.nullable().default(null).describe('Identifier of the object. Default null: no object.'),
  object_name: z
    .string()
    .max(256)
    .nullable()
    .default(null)
    .describe('Name of the object. Default null: no object.'),
  code: Word.default('').describe('Stable code of the record. Default: empty.'),
  message: z
    .string()
    .trim()
    .min(1)
    .max(4096)
    .meta({ example: 'The backup of the datastore took two hours', 'x-multiline': true })
    .describe('Text of the record.'),
  details: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('Further details, any JSON object. Default: empty.'),
  state: State.default('open').describe(
    '`open`, `acknowledged` (an administrator is working on it) or `closed`. Default `open`.',
  ),
});

export const MonitoringRecord = z.strictObject({
  id: Id.describe('Identifier of the record. Set by the portal.'),
  ...MonitoringWrite.shape,
  at: Moment.describe('When it happened.'),
  acknowledged_by: z
    .string()
    .nullable()
    .describe('Name of the user that acknowledged the record. Null while it is open.'),
  acknowledged_at: Moment.nullable().describe('When the record was acknowledged. Null while it is open.'),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});

export const monitoringFilters = {
  level: Level.optional().describe('Only records of this severity.'),
  source: Source.optional().describe('Only records of this source.'),
  state: State.optional().describe('Only records in this state.'),
  object_type: Word.optional().describe('Only records about objects of this type.'),
  object_id: Word.optional().describe('Only records about the object with this identifier.'),
  code: Word.optional().describe('Only records with this code.'),
  from: lowerBoundOf('at').describe('Only records at or after this time.'),
  to: upperBoundOf('at').describe('Only records at or before this time.'),
};
