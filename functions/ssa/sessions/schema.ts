import { z } from 'zod';
import { absent, cut, resultOf, Token, UserName } from '../../../shared/fleet/agents/calls.ts';
import { Instant } from '../../../shared/http/fields.ts';
import { isId } from '../../../shared/kernel/ids.ts';

export const RegisterBody = z.object({
  token: Token.meta({
    description: 'That of the agent of the workplace',
    example: 'agat_8Q0cYk3p1fXr5uWm2sHvJ7dTzLbNgKaEoPiC4yR6xVw',
  }),
  session_id: z
    .string()
    .max(36)
    .refine(isId, 'Must be a UUID')
    .transform((id) => id.toLowerCase())
    .meta({
      format: 'uuid',
      description: 'As the login of the agent gave it',
      example: '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11',
    }),
  username: UserName,
});

export const Registered = resultOf(
  z.strictObject({
    token: z.string().meta({
      description: 'For `Authorization: Bearer`',
      example: 'agsa_8Q0cYk3p1fXr5uWm2sHvJ7dTzLbNgKaEoPiC4yR6xVw',
    }),
  }),
);

export const NoMembers = z.object({});
export const LoginBody = z.object({ username: UserName, session_type: absent(cut(64)) });

/** Bytes that what somebody tells of an event may have as JSON. */
const mostBytes = 16_384;

const Event = z.object({
  at: absent(Instant).meta({ description: 'When it happened; now unless given' }),
  kind: cut(64).meta({ description: 'A word', example: 'locked' }),
  data: z
    .unknown()
    .optional()
    .refine((data) => (JSON.stringify(data) ?? '').length <= mostBytes, 'Must not have more than 16 KiB')
    .meta({ description: 'Whatever belongs to it' }),
});

export const EventsBody = z.object({ events: z.array(Event).max(100) });
