import { z } from 'zod';
import { absent, cut, Done, resultOf, Token, UserName } from '../../../shared/agents/calls.ts';
import { Id } from '../../../shared/shapes/fields.ts';

const OwnToken = Token.meta({ example: 'agat_8Q0cYk3p1fXr5uWm2sHvJ7dTzLbNgKaEoPiC4yR6xVw' }).describe(
  'Token of the workplace, as `initialize` returned it.',
);

export const LoginBody = z.object({
  token: OwnToken,
  username: UserName,
  session_type: absent(cut(64))
    .meta({ example: 'rdp' })
    .describe('Protocol of the session, such as `rdp`. Default: `unknown`.'),
});

export const LogoutBody = z.object({
  token: OwnToken,
  session_id: absent(cut(64)).describe('`session_id` that the login returned.'),
  // A stopped agent logs a session off by its identifier alone, with an empty user name.
  username: absent(z.union([z.literal('').transform(() => undefined), UserName])).describe(
    'Login name of the user, used if no session has the given `session_id`. If both are absent, the only session of the workplace ends.',
  ),
  session_type: absent(cut(64)).describe('Type of the session. Accepted for compatibility and not used.'),
});

const Text = z.string().nullable();
const Seconds = z.int().nullable();

const LoggedInResult = z.strictObject({
  ip: Text.describe('IP address of the client. Null if the dispatcher has not reported it.'),
  hostname: Text.describe('Name of the client machine. Null if the dispatcher has not reported it.'),
  dead_line: Seconds.describe(
    'Seconds after which the session must end. Always null: the portal sets no limit.',
  ),
  deadline: Seconds.describe('Same as `dead_line`, in seconds, for other versions of the agent.'),
  max_idle: Seconds.describe(
    'Seconds without input after which the session ends. Always null: the portal sets no limit.',
  ),
  session_id: Id.describe('Identifier of the session, for `logout` and for session agents.'),
});
export type LoggedInResult = z.output<typeof LoggedInResult>;
export const LoggedIn = resultOf(LoggedInResult.describe('Session that was started.'));

/** GET form for agents that do not support POST. Other parameters are ignored. */
export const NotifyQuery = z.object({
  action: z
    .enum(['login', 'logout'])
    .describe('`login`: a user has logged in; `logout`: a user has logged out.'),
  token: OwnToken,
  username: UserName,
});

/** The result of `login` or `logout`. */
export const Notified = z.union([LoggedIn, Done]);
