import type { Db } from '../../db/client.ts';
import { findSession } from '../../db/repositories/login-sessions.ts';
import { addSeconds } from '../kernel/clock.ts';
import { sha256 } from '../kernel/digests.ts';
import { type Parameters, parametersFrom } from '../kernel/system-parameters.ts';
import type { SignedIn } from './actor.ts';

/** Tokens of ours are 43 characters; anything much longer is not looked up. */
const longestToken = 128;

/**
 * Who a session token speaks for now; one round trip.
 * @returns undefined for a token that is unknown, ended, expired or idle for too long
 */
export async function findActor(db: Db, token: string, now: Date): Promise<SignedIn | undefined> {
  if (token.length > longestToken) return undefined;
  const found = await findSession(db, sha256(token));
  if (!found) return undefined;
  const { session, user, domain, roles } = found;
  const parameters = parametersFrom(found.parameters);
  const expiresAt = addSeconds(session.created_at, absoluteAge(parameters, session.portal));
  const idleExpiresAt = addSeconds(session.last_seen_at, parameters['session.idle_s']);
  if (now >= expiresAt || now >= idleExpiresAt) return undefined;
  const { id, portal, created_at: createdAt, last_seen_at: lastSeenAt } = session;
  return {
    kind: 'user',
    session: { id, portal, createdAt, lastSeenAt, expiresAt, idleExpiresAt },
    user,
    domain,
    roles,
    parameters,
  };
}

/** Seconds after which a session of this portal ends whatever it does. */
export const absoluteAge = (parameters: Parameters, portal: 'admin' | 'user'): number =>
  parameters[portal === 'admin' ? 'session.admin_absolute_s' : 'session.user_absolute_s'];
