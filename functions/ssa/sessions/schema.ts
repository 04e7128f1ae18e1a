import { z } from 'zod';
import { absent, cut, resultOf, Token, UserName } from '../../../shared/agents/calls.ts';
import { isId } from '../../../shared/kernel/ids.ts';
import { Instant } from '../../../shared/shapes/fields.ts';

export const RegisterBody = z.object({
  token: Token.meta({ example: 'agat_8Q0cYk3p1fXr5uWm2sHvJ7dTzLbNgKaEoPiC4yR6xVw' }).describe(
    'Token of the workplace, as returned by `initialize` of the agent.',
  ),
  session_id: z
    .string()
    .max(36)
    .refine(isId, 'Must be a UUID')
    .transform((id) => id.toLowerCase())
    .meta({ format: 'uuid', example: '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11' })
    .describe('`session_id` that the login of the agent returned.'),
  username: UserName,
});

export const Registered = resultOf(
  z
    .strictObject({
      token: z
        .string()
        .meta({ example: 'agsa_8Q0cYk3p1fXr5uWm2sHvJ7dTzLbNgKaEoPiC4yR6xVw' })
        .describe('Token of the session agent for `Authorization: Bearer`.'),
    })
    .describe('Credential of the session agent.'),
);

export const NoMembers = z.object({});
export const LoginBody = z.object({
  username: UserName,
  session_type: absent(cut(64)).describe('Protocol of the session, such as `rdp`. Default: `unknown`.'),
});

/** Maximum size of the details of an event as JSON, in bytes. */
const mostBytes = 16_384;

const Event = z.object({
  at: absent(Instant).describe('When the event happened. Default: now.'),
  kind: cut(64).meta({ example: 'locked' }).describe('Type of the event, in one word, such as `locked`.'),
  data: z
    .unknown()
    .optional()
    .refine((data) => (JSON.stringify(data) ?? '').length <= mostBytes, 'Must not exceed 16 KiB')
    .describe('Further details of the event, any JSON value of at most 16 KiB.'),
});

export const EventsBody = z.object({
  events: z.array(Event).max(100).describe('Events of the session, in any order.'),
});
