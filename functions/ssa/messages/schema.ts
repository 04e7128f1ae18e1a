import { z } from 'zod';
import { resultOf } from '../../../shared/agents/calls.ts';
import { Id } from '../../../shared/shapes/fields.ts';

const longestS = 25;

/** Clients that want to wait longer send another request. */
export const MessagesQuery = z.strictObject({
  wait: z
    .string()
    .max(6)
    .regex(/^\d*$/, 'Must be a number of seconds')
    .transform((text) => Math.min(Number(text), longestS))
    .optional()
    .meta({ example: '0' })
    .describe('Maximum time to wait for a message in seconds, at most 25. Default 0.'),
  after: Id.optional().describe(
    'Identifier of the last message that was shown. It acknowledges this message and all earlier ones.',
  ),
});

const Message = z.strictObject({
  id: Id.describe('Identifier of the message, for `after`.'),
  kind: z.enum(['message', 'logoff']).describe('`message`: show a message; `logoff`: end the session.'),
  title: z
    .string()
    .optional()
    .meta({ example: 'Maintenance' })
    .describe('Title of the message. Absent if it has none.'),
  message: z
    .string()
    .optional()
    .meta({ example: 'Please save your work' })
    .describe('Text of the message. Absent if it has none.'),
});
export type Message = z.output<typeof Message>;

export const Messages = resultOf(
  z
    .strictObject({ items: z.array(Message).describe('Unacknowledged messages, oldest first.') })
    .describe('Waiting messages.'),
);
