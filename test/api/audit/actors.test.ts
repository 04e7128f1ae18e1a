import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { users } from '../../../db/schema/identity/users.ts';
import { eventBy } from '../../../shared/context/audit-entry.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { breakGlassEvent } from '../../../shared/tooling/admin/database.ts';
import { sealAll } from '../../support/audit/audit.ts';
import { addMember, addPriorityGroup, base, logIn, useWorld } from '../../support/factories.ts';
import { addServiceToken, addServiceUser } from '../../support/identity/service-tokens.ts';
import type { Json } from '../../support/portal.ts';

describe('what acted, in the audit log', () => {
  const world = useWorld();
  const events = async (query: string): Promise<Json[]> =>
    (await world.admin(`GET ${base}/audit?${query}`)).body.items;
  const happening = { event: 'portal.EntityAction', category: 'config' } as const;
  /** A user who has the name since before it was reserved. */
  const rename = (id: string, name: string) =>
    world.portal.db.update(users).set({ name, name_key: name }).where(eq(users.id, id));

  it('distinguishes a user with the name of a job from the job, in the log and in the history', async () => {
    const { admin, portal } = world;
    const member = await addMember(world, ['priority_groups.read', 'priority_groups.update']);
    const group = await addPriorityGroup(admin);
    await rename(member.user.id, 'system');
    const path = `${base}/priority_groups/${group.id}`;
    expect((await member.ask(`PATCH ${path}`, { comments: 'by a user' })).status).toBe(200);
    const job = eventBy({ kind: 'job', name: 'maintenance' }, new Date(), {
      ...{ ...happening, action: 'update', object_type: 'priority_group', object_id: group.id },
      changes: [{ field: 'priority', before: 1, after: 2 }],
    });
    await appendAudit(portal.db, job);
    const shown = ({ user, actor }: Json) => [user, actor];
    const both = [
      ['system', 'job'],
      ['system', 'user'],
    ];
    expect((await events(`object_id=${group.id}&limit=2`)).map(shown)).toEqual(both);
    const { items } = (await admin(`GET ${path}/history`)).body;
    expect(items.slice(0, 2).map(shown)).toEqual(both);
    const version = (await admin(`GET ${path}/history/${items[0].version}`)).body;
    expect(version).toMatchObject({ user: 'system', actor: 'job' });
  });

  it('is a user for a login, and a caller without a session for a name that was only typed', async () => {
    const member = await addMember(world, []);
    await rename(member.user.id, 'job');
    await logIn(world.portal, world.domain, { name: 'job' });
    await logIn(world.portal, world.domain, { name: 'job' }, { password: 'wrong' });
    const found = await events('user=job');
    expect(found.map(({ event, actor }) => [event, actor])).toEqual([
      ['portal.LoginFailed', 'anonymous'],
      ['portal.UserLogin', 'user'],
    ]);
  });

  it('is a service token, an operator, or the portal for a user whose sessions it ends', async () => {
    const { user } = await addServiceUser(world, ['sites.update']);
    const { ask } = await addServiceToken(world, user, { permissions: ['sites.update'] });
    await ask(`PATCH ${base}/sites/${world.site.id}`, { comments: 'by a token' });
    expect((await events(`object_id=${world.site.id}&limit=1`))[0]).toMatchObject({
      user: user.name,
      actor: 'service_token',
    });
    const { actor, user_name } = eventBy({ kind: 'job', name: 'provider checks' }, new Date(), {
      ...{ event: 'portal.UserLogout', category: 'auth', user_name: user.name },
    });
    expect([user_name, actor]).toEqual([user.name, 'job']);
    expect(breakGlassEvent('unlock', { event: 'portal.EntityAction' }).actor).toBe('operator');
  });

  it('is sealed with the event; an event of an earlier version keeps its text', async () => {
    const { db } = world.portal;
    const before = { ...happening, id: newId(), at: new Date(), level: 'info', result: 'success' } as const;
    await appendAudit(db, before);
    const after = eventBy({ kind: 'job', name: 'snapshot' }, new Date(), happening);
    await appendAudit(db, after);
    await sealAll(world.portal.sidecarDb);
    const textOf = async ({ id }: { id: string }) =>
      (await db.select().from(auditEvents).where(eq(auditEvents.id, id)))[0]?.sealed_text;
    expect(await textOf(before)).toMatch(/"count" : 1}$/);
    expect(await textOf(after)).toMatch(/"count" : 1, "actor" : "job"}$/);
    expect((await world.admin(`GET ${base}/audit/verify`)).body).toMatchObject({ ok: true });
  });
});
