import { z } from 'zod';
import { resultOf } from '../../../shared/fleet/agents/calls.ts';
import { Id } from '../../../shared/http/fields.ts';

const longestS = 25;

/** Whoever would wait longer comes again. */
export const MessagesQuery = z.strictObject({
  wait: z
    .string()
    .max(6)
    .regex(/^\d*$/, 'Must be a number of seconds')
    .transform((text) => Math.min(Number(text), longestS))
    .optional()
    .meta({ description: 'Seconds to wait for a message when there is none, 25 at most', example: '0' }),
  after: Id.optional().meta({ description: 'The last message that was shown: it and those before it go' }),
});

const Message = z.strictObject({
  id: Id,
  kind: z.enum(['message', 'logoff']),
  title: z.string().optional().meta({ example: 'Maintenance' }),
  message: z.string().optional().meta({ example: 'Please save your work' }),
});
export type Message = z.output<typeof Message>;

export const Messages = resultOf(z.strictObject({ items: z.array(Message) }));
