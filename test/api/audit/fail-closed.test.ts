import { asc, sql } from 'drizzle-orm';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { loginLocks } from '../../../db/schema/identity/login-locks.ts';
import { loginSessions } from '../../../db/schema/identity/login-sessions.ts';
import { roles } from '../../../db/schema/identity/roles.ts';
import { users } from '../../../db/schema/identity/users.ts';
import { sites } from '../../../db/schema/sites/sites.ts';
import { breakAudit } from '../../support/audit/audit.ts';
import type { Driver } from '../../support/database/neon-proxy.ts';
import {
  addMember,
  addSite,
  base,
  goodPassword,
  logIn,
  type Member,
  siteBody,
  unique,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import type { Answer } from '../../support/portal.ts';

describe.each<Driver>(['pg', 'neon'])('without an audit table, by the driver %s,', (driver) => {
  const world = useWorld({ driver });
  let member: Member;
  let mend: () => Promise<void>;

  beforeAll(async () => {
    member = await addMember(world, ['sites.update']);
  });
  beforeEach(async () => {
    mend = await breakAudit(world.portal.ownerDb);
  });
  afterEach(() => mend());

  /** Every row that the writes of these tests could leave. `last_seen_at` changes with any request. */
  const state = async () => {
    const { db } = world.portal;
    const sessions = db.select({ id: loginSessions.id, user: loginSessions.user_id }).from(loginSessions);
    return Promise.all([
      db.select().from(auditEvents).orderBy(asc(auditEvents.id)),
      db.select().from(sites).orderBy(asc(sites.id)),
      db.select().from(users).orderBy(asc(users.id)),
      db.select().from(roles).orderBy(asc(roles.id)),
      db.select().from(loginLocks).orderBy(asc(loginLocks.account)),
      sessions.orderBy(asc(loginSessions.id)),
    ]);
  };

  async function expectNothing(work: () => Promise<Answer>): Promise<void> {
    const before = await state();
    const answer = await work();
    expect([answer.status, answer.body.code]).toEqual([500, 'internal']);
    expect(JSON.stringify(answer.body)).not.toContain('the audit is full');
    await world.portal.settled();
    expect(await state()).toEqual(before);
  }

  it('logins, failed logins and logouts are refused', async () => {
    await expectNothing(() => logIn(world.portal, world.domain, member.user));
    await expectNothing(() => logIn(world.portal, world.domain, member.user, { password: 'wrong' }));
    await expectNothing(() => member.ask('POST /api/auth/v7.0/logout'));
  });

  it('record writes are refused', async () => {
    const one = `${base}/sites/${world.site.id}`;
    await expectNothing(() => world.admin(`POST ${base}/sites`, siteBody()));
    await expectNothing(() => world.admin(`PATCH ${one}`, { comments: 'changed', groups: [] }));
    await expectNothing(() => world.admin(`PUT ${one}`, { ...world.site, comments: 'replaced' }));
    await expectNothing(() => world.admin(`DELETE ${base}/farms/${world.farm.id}`));
  });

  it('decision writes are refused', async () => {
    const path = usersPath(world.domain);
    const body = { name: unique('user'), password: goodPassword };
    await expectNothing(() => world.admin(`POST ${path}`, body));
    await expectNothing(() => world.admin(`DELETE ${path}/${member.user.id}`));
    const role = { name: unique('role'), permissions: ['sites.read'] };
    await expectNothing(() => world.admin(`POST ${base}/rbac`, role));
    await expectNothing(() => world.admin(`PATCH ${base}/rbac/${member.role.id}`, { comments: 'x' }));
  });

  it('bulk deletions are refused', async () => {
    await mend();
    const ids = [(await addSite(world.admin)).id, (await addSite(world.admin)).id];
    mend = await breakAudit(world.portal.ownerDb);
    await expectNothing(() => world.admin(`POST ${base}/sites/bulk_destroy`, { ids }));
    await expectNothing(() => world.admin(`POST ${base}/sites/bulk_destroy`, { all: true }));
  });

  it('password changes and failed attempts at them are refused', async () => {
    const change = (current: string) =>
      member.ask('PUT /api/userinfo/password', { current, new: 'another long pass phrase' });
    await expectNothing(() => change(goodPassword));
    await expectNothing(() => change('wrong'));
  });

  it('every operation works again as soon as the table is back', async () => {
    await mend();
    expect((await logIn(world.portal, world.domain, member.user)).status).toBe(200);
    const [row] = await world.portal.db.select({ n: sql<number>`count(*)::int` }).from(auditEvents);
    mend = await breakAudit(world.portal.ownerDb);
    expect(row?.n).toBeGreaterThan(0);
  });
});
