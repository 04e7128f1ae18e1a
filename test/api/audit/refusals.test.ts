import { describe, expect, it } from 'vitest';
import { connectPg } from '../../../db/pg.ts';
import { settleRefusals } from '../../../db/repositories/audit/refusals.ts';
import { auditRefusals } from '../../../db/schema/audit/refusals.ts';
import { breakAudit } from '../../support/audit/audit.ts';
import type { Driver } from '../../support/database/neon-proxy.ts';
import { addMember, addUser, audited, base, logIn, useWorld } from '../../support/factories.ts';

const times = async (n: number, work: () => Promise<unknown>): Promise<void> => {
  for (let at = 0; at < n; at++) await work();
};
/** The time at which every minute of this test has ended. */
const later = (): Date => new Date(Date.now() + 7_200_000);

describe.each<Driver>(['pg', 'neon'])('a refused request, by the driver %s', (driver) => {
  const world = useWorld({ driver });
  const settle = () => settleRefusals(world.portal.db, later());

  it('of a valid session is audited at once, with the missing permission and the path', async () => {
    const { ask, user } = await addMember(world, ['farms.read']);
    const path = `${base}/sites/${world.site.id}`;
    const { result, events } = await audited(world.portal, () => ask(`PATCH ${path}`, { comments: 'x' }));
    expect(result.status).toBe(403);
    expect(events).toMatchObject([
      {
        event: 'portal.AccessRefused',
        category: 'auth',
        level: 'warning',
        result: 'failure',
        user_name: user.name,
        user_id: user.id,
        domain: world.domain.small_name,
        portal: 'admin',
        source_ip: '127.0.0.1',
        request_id: result.headers.get('x-request-id'),
        method: 'PATCH',
        path: `${base}/sites/{id}`,
        details: { code: 'forbidden', required_permission: 'sites.update' },
        count: 1,
      },
    ]);
  });

  it('that repeats within its minute is counted, and audited once when the minute is over', async () => {
    await settle();
    const { ask } = await addMember(world, ['farms.read']);
    const { events } = await audited(world.portal, async () => {
      await times(4, () => ask(`GET ${base}/sites`));
      await ask(`GET ${base}/dispatchers`);
    });
    const [first] = events;
    const minute = Math.floor(Number(first?.at) / 60_000) * 60_000;
    await settleRefusals(world.portal.db, new Date(minute + 59_999));
    expect((await world.portal.db.select().from(auditRefusals)).length).toBe(events.length);
    const { events: settled } = await audited(world.portal, async () => {
      await Promise.all([settle(), settle(), settle()]);
      await settle();
    });
    const all = [...events, ...settled];
    const sum = (permission: string) =>
      all
        .filter(({ details }) => details.required_permission === permission)
        .reduce((total, { count }) => total + count, 0);
    expect([sum('sites.read'), sum('dispatchers.read')]).toEqual([4, 1]);
    expect(settled.length).toBeLessThanOrEqual(2);
    expect(settled.every(({ event, path }) => event === 'portal.AccessRefused' && path)).toBe(true);
    expect(await world.portal.db.select().from(auditRefusals)).toEqual([]);
  });

  it('is counted correctly under concurrency, and the count is written by one of several processes', async () => {
    const { ask } = await addMember(world, ['farms.read']);
    const other = connectPg({ url: world.portal.databaseUrl });
    const { events } = await audited(world.portal, async () => {
      await Promise.all(Array.from({ length: 30 }, () => ask(`GET ${base}/rbac`)));
      await Promise.all([world.portal.db, other.db, other.db].map((db) => settleRefusals(db, later())));
    });
    await other.close();
    expect(events.reduce((total, { count }) => total + count, 0)).toBe(30);
    expect(events.length).toBeLessThanOrEqual(4);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  it('by the code of an operation names the missing permissions', async () => {
    const { ask } = await addMember(world, ['roles.create']);
    const body = { name: 'too much', permissions: ['sites.read', 'farms.read'] };
    const { result, events } = await audited(world.portal, () => ask(`POST ${base}/rbac`, body));
    expect(result.status).toBe(403);
    expect(events).toMatchObject([
      {
        event: 'portal.AccessRefused',
        details: { code: 'forbidden', missing: ['farms.read', 'sites.read'] },
      },
    ]);
  });

  it('because of a mandatory password change is audited as well', async () => {
    const { ask } = await addMember(world, ['sites.read'], '*', { must_change_password: true });
    const { events } = await audited(world.portal, () => ask(`GET ${base}/sites`));
    expect(events).toMatchObject([{ details: { code: 'password_change_required' } }]);
  });

  it('without a session, and a 404, are not audited', async () => {
    const { ask } = await addMember(world, ['sites.read']);
    const { events } = await audited(world.portal, async () => {
      expect((await world.portal.send(`GET ${base}/sites`)).status).toBe(401);
      expect((await world.portal.send(`GET ${base}/sites`, { token: 'x' })).status).toBe(401);
      expect((await ask(`GET ${base}/sites/${world.farm.id}`)).status).toBe(404);
    });
    expect(events).toEqual([]);
    const statuses = world.portal.log.filter(({ message }) => message === 'request');
    expect(statuses.filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(2);
  });

  it('under a lock is audited at once, and all further attempts in one event', async () => {
    await settle();
    const user = await addUser(world.admin, world.domain);
    const guess = () => logIn(world.portal, world.domain, user, { password: 'a wrong guess' });
    await times(5, guess);
    const { events } = await audited(world.portal, async () => {
      await times(6, async () => expect((await guess()).status).toBe(429));
      await logIn(world.portal, world.domain, user);
      await settle();
    });
    expect(events.map(({ event }) => event)).toEqual(events.map(() => 'portal.LoginFailed'));
    expect(events.reduce((total, { count }) => total + count, 0)).toBe(7);
    expect(events.length).toBeLessThanOrEqual(4);
    expect(events[0]).toMatchObject({
      user_name: user.name,
      user_id: user.id,
      domain: world.domain.small_name,
      details: { code: 'locked_out' },
      result: 'failure',
    });
  });

  it('with a correct password for a user without access to the portal is a failed login', async () => {
    const user = await addUser(world.admin, world.domain);
    const { result, events } = await audited(world.portal, () =>
      logIn(world.portal, world.domain, user, { portal: 'admin' }),
    );
    expect(result.status).toBe(403);
    expect(events).toMatchObject([
      { event: 'portal.LoginFailed', user_name: user.name, details: { code: 'forbidden' } },
    ]);
  });

  it('stays refused when it cannot be audited, and an error is logged', async () => {
    const { ask } = await addMember(world, ['farms.read']);
    const mend = await breakAudit(world.portal.ownerDb);
    const answer = await ask(`GET ${base}/sites`).finally(mend);
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
    expect(world.portal.log.map(({ message }) => message)).toContain('a refusal could not be audited');
  });

  it('never exceeds the maximum length of an audit line', async () => {
    const { token } = await addMember(world, ['farms.read']);
    await settle();
    const headers = { 'user-agent': 'agent\u001b[2J\u0085forged' };
    const ask = () => world.portal.send(`GET ${base}/sites`, { token, headers });
    const { events } = await audited(world.portal, async () => {
      await times(3, ask);
      await settle();
    });
    for (const { user_agent } of events) expect(user_agent).toBe('agent\\u001b[2J\\u0085forged');
  });
});
