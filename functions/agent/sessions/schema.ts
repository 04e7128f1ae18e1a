import { z } from 'zod';
import { absent, cut, Done, resultOf, Token, UserName } from '../../../shared/fleet/agents/calls.ts';
import { Id } from '../../../shared/http/fields.ts';

const OwnToken = Token.meta({
  description: 'That of the workplace, as `initialize` gave it',
  example: 'agat_8Q0cYk3p1fXr5uWm2sHvJ7dTzLbNgKaEoPiC4yR6xVw',
});

export const LoginBody = z.object({
  token: OwnToken,
  username: UserName,
  session_type: absent(cut(64)).meta({ description: 'How he works there', example: 'rdp' }),
});

export const LogoutBody = z.object({
  token: OwnToken,
  session_id: absent(cut(64)).meta({ description: 'As `login` gave it' }),
  // Agents that are stopped log a session off by its identifier alone, with an empty name.
  username: absent(z.union([z.literal('').transform(() => undefined), UserName])),
  session_type: absent(cut(64)),
});

const Text = z.string().nullable();
const Seconds = z.int().nullable();

const LoggedInResult = z.strictObject({
  ip: Text.meta({ description: 'Address of the client, where the dispatcher has told' }),
  hostname: Text.meta({ description: 'Name of the client, where the dispatcher has told' }),
  dead_line: Seconds.meta({ description: 'Seconds after which the session must end; null for never' }),
  deadline: Seconds.meta({ description: 'The same' }),
  max_idle: Seconds.meta({ description: 'Seconds after which an idle session ends; null for never' }),
  session_id: Id,
});
export type LoggedInResult = z.output<typeof LoggedInResult>;
export const LoggedIn = resultOf(LoggedInResult);

/** By GET, for agents that can do no more; what else they send is ignored. */
export const NotifyQuery = z.object({
  action: z.enum(['login', 'logout']),
  token: OwnToken,
  username: UserName,
});

/** Of a login that of `login`, of a logout that of `logout`. */
export const Notified = z.union([LoggedIn, Done]);
