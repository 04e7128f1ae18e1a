import { z } from 'zod';
import { Id, Instant, Moment, Name } from '../../../shared/http/fields.ts';

export const MaintenanceTemplateWrite = z.object({
  name: Name,
  title: z.string().max(256).default(''),
  message: z
    .string()
    .trim()
    .min(1)
    .max(1024)
    .meta({ description: 'What users are told', example: 'Maintenance on Saturday from 10 to 12' }),
  start_at: Instant.nullable().default(null),
  end_at: Instant.meta({ example: '2026-11-21T10:30:00.000Z' })
    .nullable()
    .default(null)
    .meta({ description: 'Later than `start_at`' }),
  warn_minutes: z
    .int()
    .min(0)
    .max(1440)
    .default(10)
    .meta({ description: 'How long before the start users are warned' }),
  block_new_sessions: z.boolean().default(true),
  disconnect_sessions: z.boolean().default(false),
  logoff_sessions: z.boolean().default(false),
});

export const MaintenanceTemplate = z.strictObject({
  id: Id,
  ...MaintenanceTemplateWrite.shape,
  start_at: Moment.nullable(),
  end_at: Moment.nullable(),
  created_at: Moment,
  updated_at: Moment,
});
