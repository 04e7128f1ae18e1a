import { sql } from 'drizzle-orm';
import type { Db, Statement } from '../../../client.ts';
import { providerStates as table } from '../../../schema/identity/providers/states.ts';
import { changeWithRecord } from '../../monitoring/records.ts';

type Domain = { id: string; name: string };

type Seen = 'sign_in' | 'check';

/** Notes that a provider does not answer, or refuses the portal. Only the first failure writes to the monitoring journal. */
export const noteProviderFault = (h: Db, domain: Domain, by: Seen, reason: string, at: Date): Statement =>
  changeWithRecord(
    h,
    sql`insert into ${table} (authenticator_id, failing_since, reason, seen_by) values (${domain.id}, now(), ${reason}, ${by})
      on conflict (authenticator_id) do update
      set failing_since = excluded.failing_since, reason = excluded.reason, seen_by = excluded.seen_by
      where ${table.failing_since} is null`,
    {
      ...about(domain, at),
      level: 'warning',
      code: 'provider_failing',
      message: `The identity provider of ${domain.name} cannot be used (${reason}); sign-ins and checks of sessions fail`,
      details: { reason },
    },
  );

/**
 * Notes that a provider has answered. Writes only after a failure. After a sign-in, checks can still
 * fail, because they need more rights of the portal.
 */
export const noteProviderAnswer = (h: Db, domain: Domain, by: Seen, at: Date): Statement =>
  changeWithRecord(
    h,
    sql`update ${table} set failing_since = null, reason = null, seen_by = null
      where ${table.authenticator_id} = ${domain.id} and ${table.failing_since} is not null
        and (${by} = 'check' or ${table.seen_by} = 'sign_in')`,
    {
      ...about(domain, at),
      level: 'info',
      code: 'provider_answers',
      message: `The identity provider of ${domain.name} answers again`,
    },
  );

/** Notes that checks of sessions are behind, or are in time again. Writes only at a change. */
export const noteLateChecks = (h: Db, domain: Domain, lateS: number | undefined, at: Date): Statement =>
  lateS === undefined ? noteInTime(h, domain, at) : noteLate(h, domain, Math.round(lateS), at);

const noteLate = (h: Db, domain: Domain, lateS: number, at: Date): Statement =>
  changeWithRecord(
    h,
    sql`insert into ${table} (authenticator_id, late_since) values (${domain.id}, now())
      on conflict (authenticator_id) do update set late_since = excluded.late_since where ${table.late_since} is null`,
    {
      ...about(domain, at),
      level: 'warning',
      code: 'provider_checks_late',
      message: `Checks of sessions at the identity provider of ${domain.name} are late: the oldest was ${lateS} seconds ago`,
      details: { oldest_s: lateS },
    },
  );

const noteInTime = (h: Db, domain: Domain, at: Date): Statement =>
  changeWithRecord(
    h,
    sql`update ${table} set late_since = null
      where ${table.authenticator_id} = ${domain.id} and ${table.late_since} is not null`,
    {
      ...about(domain, at),
      level: 'info',
      code: 'provider_checks_in_time',
      message: `Checks of sessions at the identity provider of ${domain.name} are in time again`,
    },
  );

const about = ({ id, name }: Domain, at: Date) => ({
  at,
  source: 'portal' as const,
  object_type: 'authenticator' as const,
  object_id: id,
  object_name: name,
});
