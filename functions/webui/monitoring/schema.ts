import { z } from 'zod';
import { Id, Instant, Moment } from '../../../shared/http/fields.ts';

const Level = z.enum(['info', 'warning', 'error', 'critical']);
const Source = z.enum(['portal', 'site', 'farm', 'dispatcher', 'gateway', 'domain', 'jobs', 'database']);
const State = z.enum(['open', 'acknowledged', 'closed']);
const Word = z.string().max(128);

export const MonitoringWrite = z.object({
  at: Instant.nullable().default(null).meta({ description: 'When it happened; now unless given' }),
  level: Level,
  source: Source.default('portal'),
  object_type: Word.nullable().default(null),
  object_id: Word.nullable().default(null),
  object_name: z.string().max(256).nullable().default(null),
  code: Word.default(''),
  message: z.string().trim().min(1).max(4096).meta({ example: 'The backup of the datastore took two hours' }),
  details: z.record(z.string(), z.unknown()).default({}),
  state: State.default('open'),
});

export const MonitoringRecord = z.strictObject({
  id: Id,
  ...MonitoringWrite.shape,
  at: Moment,
  acknowledged_by: z.string().nullable().meta({ description: 'The name of the user who acknowledged it' }),
  acknowledged_at: Moment.nullable(),
  created_at: Moment,
  updated_at: Moment,
});

export const monitoringFilters = {
  level: Level.optional(),
  source: Source.optional(),
  state: State.optional(),
  object_type: Word.optional(),
  object_id: Word.optional(),
  code: Word.optional(),
  from: Instant.optional().meta({ description: 'That moment and later' }),
  to: Instant.optional().meta({ description: 'That moment and earlier' }),
};
