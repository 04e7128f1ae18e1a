import { z } from 'zod';
import type { AliveSince } from '../../db/repositories/identity/login/user-sessions.ts';
import { absoluteAge } from '../access/session.ts';
import type { BaseDeps, Ctx } from '../context/context.ts';
import type { SignedIn } from '../context/principal.ts';
import { addSeconds } from '../kernel/clock.ts';
import { Id, Moment } from '../shapes/fields.ts';
import { listQuery } from '../shapes/list.ts';
import { viewOf } from '../shapes/views.ts';

const Stored = z.strictObject({
  id: Id.describe('Identifier of the session.'),
  portal: z.enum(['admin', 'user']).describe('Portal of the session: `admin` (administrators) or `user`.'),
  source_ip: z.string().describe('IP address from which the user logged in.'),
  user_agent: z.string().describe('Header `User-Agent` of the login. Empty if it was absent.'),
  platform: z.string().describe('`platform` of the login request. Empty if it was absent.'),
  created_at: Moment.describe('When the user logged in.'),
  last_seen_at: Moment.describe('When the session was last used, recorded at most once a minute.'),
});

/** An open session as its owner and administrators see it. */
export const LoginSession = Stored.extend({
  expires_at: Moment.describe(
    'Expiration time of the session. It ends earlier after `session.idle_s` seconds without a request.',
  ),
});

export const SessionsQuery = listQuery(['created_at', 'last_seen_at'], {}, '-created_at');

type Listing = Pick<Ctx<BaseDeps, SignedIn>, 'parameters' | 'now'>;
/** The earliest start and last use of a session that is valid now. */
export const aliveSince = ({ parameters, now }: Listing): AliveSince => ({
  admin: addSeconds(now, -absoluteAge(parameters, 'admin')),
  user: addSeconds(now, -absoluteAge(parameters, 'user')),
  used: addSeconds(now, -parameters['session.idle_s']),
  now,
});

export const showSession =
  ({ parameters }: Listing) =>
  (row: { portal: 'admin' | 'user'; created_at: Date }): z.input<typeof LoginSession> => ({
    ...view(row),
    expires_at: addSeconds(row.created_at, absoluteAge(parameters, row.portal)).toISOString(),
  });

const view = viewOf(Stored);
