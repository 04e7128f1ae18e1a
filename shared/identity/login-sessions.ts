import { z } from 'zod';
import type { AliveSince } from '../../db/repositories/user-sessions.ts';
import type { SignedIn } from '../access/principal.ts';
import { absoluteAge } from '../access/session.ts';
import type { BaseDeps, Ctx } from '../http/context.ts';
import { Id, Moment } from '../http/fields.ts';
import { listQuery } from '../http/list.ts';
import { viewOf } from '../http/views.ts';
import { addSeconds } from '../kernel/clock.ts';

const Stored = z.strictObject({
  id: Id,
  portal: z.enum(['admin', 'user']),
  source_ip: z.string(),
  user_agent: z.string(),
  platform: z.string(),
  created_at: Moment,
  last_seen_at: Moment,
});

/** A live session as its owner and administrators see it. */
export const LoginSession = Stored.extend({
  expires_at: Moment.meta({ description: 'Ends at this moment at the latest, and before when it is idle' }),
});

export const SessionsQuery = listQuery(['created_at', 'last_seen_at'], {}, '-created_at');

type Listing = Pick<Ctx<BaseDeps, SignedIn>, 'parameters' | 'now'>;
/** Since when a session must have begun and been used to be accepted now. */
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
