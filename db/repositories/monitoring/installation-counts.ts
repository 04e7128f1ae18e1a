import { type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { systemParameters as defaults } from '../../../shared/kernel/system-parameters.ts';
import type { Db } from '../../client.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { loginSessions } from '../../schema/identity/login-sessions.ts';
import { users } from '../../schema/identity/users.ts';
import { systemParameters } from '../../schema/settings/system-parameters.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { derived } from '../records/statements.ts';

/** Object counts for the metrics. */
export type InstallationCounts = {
  userSessions: number;
  adminSessions: number;
  domains: number;
  farms: number;
  servers: number;
  sites: number;
};

/** Returns all counts in one statement. A session counts if its token would be accepted at `now`. */
export async function installationCounts(db: Db, now: Date): Promise<InstallationCounts> {
  const [counts] = await db
    .select({
      userSessions: liveSessions('user', 'session.user_absolute_s', now),
      adminSessions: liveSessions('admin', 'session.admin_absolute_s', now),
      domains: all(authenticators),
      farms: all(farms),
      servers: all(dispatchers),
      sites: all(sites),
    })
    .from(sql`(values (1)) as once`);
  if (!counts) throw new Error('a select without a table gave no row');
  return counts;
}

const all = (table: PgTable): SQL<number> => derived(sql`select count(*)::int from ${table}`);

type LifetimeParameter = 'session.user_absolute_s' | 'session.admin_absolute_s' | 'session.idle_s';

/** Must match the session check: absolute age, idle time, active user, enabled domain. */
function liveSessions(portal: 'user' | 'admin', absolute: LifetimeParameter, now: Date): SQL<number> {
  const at = sql`${now.toISOString()}::timestamptz`;
  return derived(sql`
    select count(*)::int from ${loginSessions}
    join ${users} on ${users.id} = ${loginSessions.user_id} and ${users.state} = 'active'
    join ${authenticators} on ${authenticators.id} = ${users.authenticator_id} and ${authenticators.state} <> 'disabled'
    where ${loginSessions.portal} = ${portal}
      and ${loginSessions.created_at} + ${lifeOf(absolute)} > ${at}
      and ${loginSessions.last_seen_at} + greatest(interval '120 seconds', ${lifeOf('session.idle_s')}) > ${at}
      and coalesce(${loginSessions.idle_until} > ${at}, true)`);
}

const lifeOf = (name: LifetimeParameter): SQL => sql`make_interval(secs => coalesce(
  (select ${systemParameters.value}::float8 from ${systemParameters} where ${systemParameters.name} = ${name}),
  ${defaults[name].default}::float8))`;
