import { z } from 'zod';
import { Id } from '../../../shared/shapes/fields.ts';

export const SessionEndBody = z.strictObject({
  farm_id: Id.optional().describe(
    'Identifier of the farm of the session. If it is absent, all farms of the site are asked for the session.',
  ),
});

export const SessionEnd = z.strictObject({
  result: z
    .enum(['ended', 'gone'])
    .describe('`ended`: the session was ended; `gone`: it had ended in the meantime.'),
  session_uuid: Id.describe('Identifier of the session.'),
  farm_id: Id.describe('Identifier of the farm of the session.'),
});
