import { z } from 'zod';
import { CreatedAt, Id, Instant, Moment, Name, UpdatedAt } from '../../../shared/shapes/fields.ts';

export const MaintenanceTemplateWrite = z.object({
  name: Name.describe('Name of the template, unique regardless of case.'),
  title: z.string().max(256).default('').describe('Title of the message for users. Default: empty.'),
  message: z
    .string()
    .trim()
    .min(1)
    .max(1024)
    .meta({ example: 'Maintenance on Saturday from 10 to 12', 'x-multiline': true })
    .describe('Message for users.'),
  start_at: Instant.nullable().default(null).describe('Start of the maintenance. Null: immediately.'),
  end_at: Instant.meta({ example: '2026-11-21T10:30:00.000Z' })
    .nullable()
    .default(null)
    .describe('End of the maintenance, after `start_at`. Null: when it is switched off.'),
  warn_minutes: z
    .int()
    .min(0)
    .max(1440)
    .default(10)
    .describe('Minutes before the start at which users are warned. Default 10.'),
  block_new_sessions: z
    .boolean()
    .default(true)
    .describe(
      'If true, no new sessions are allowed during the maintenance; reconnecting remains possible. Default true.',
    ),
  disconnect_sessions: z
    .boolean()
    .default(false)
    .describe('If true, sessions are disconnected at the start. Default false.'),
  logoff_sessions: z
    .boolean()
    .default(false)
    .describe(
      'If true, sessions are logged off at the start; this overrides `disconnect_sessions`. Default false.',
    ),
});

export const MaintenanceTemplate = z.strictObject({
  id: Id.describe('Identifier of the template. Set by the portal.'),
  ...MaintenanceTemplateWrite.shape,
  start_at: Moment.nullable().describe('Start of the maintenance. Null: immediately.'),
  end_at: Moment.nullable().describe('End of the maintenance. Null: when it is switched off.'),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});
