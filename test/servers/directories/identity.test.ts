import { and, eq } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { users } from '../../../db/schema/identity/users.ts';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { passwordOf, person, personDn, posixGroup } from '../../support/directories/entries.ts';
import { hasSlapd } from '../../support/directories/slapd.ts';
import { startDirectoryStand } from '../../support/directories/stand.ts';
import { addMember, addRole, audited, base, builtin, usersPath, useStand } from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

const names = ['ann', 'ben', 'cleo', 'dan', 'eli', 'fay', 'gus', 'hal', 'ida', 'jon'];
const every = [...names, 'ann2', 'ben2'];
const ldif = [...names.map((uid) => person(uid)), posixGroup('staff', every)].join('');
const codeOf = ({ status, body }: Json): unknown => [status, body.code];

requireService('slapd', hasSlapd)('a user identified by a directory entry', () => {
  const stand = useStand(() => startDirectoryStand(ldif));
  let domain: Json;
  beforeAll(async () => {
    domain = await stand.domainFor('staff');
  });

  const rowOf = async (id: string) => {
    const [row] = await stand.world.portal.db.select().from(users).where(eq(users.id, id));
    if (!row) throw new Error('no such user');
    return row;
  };
  const rename = (from: string, to: string) =>
    stand.slapd.change(`dn: ${personDn(from)}\nchangetype: modrdn\nnewrdn: uid=${to}\ndeleteoldrdn: 1\n`);
  const remove = (uid: string) => stand.slapd.change(`dn: ${personDn(uid)}\nchangetype: delete\n`);
  const add = (uid: string) => stand.slapd.change(person(uid).replace('\n', '\nchangetype: add\n'));
  const journalOf = (userId: string) =>
    stand.world.portal.db
      .select()
      .from(monitoringRecords)
      .where(and(eq(monitoringRecords.object_type, 'user'), eq(monitoringRecords.object_id, userId)));
  const addRow = async (name: string, given: Partial<typeof users.$inferInsert> = {}) => {
    const id = newId();
    await stand.world.portal.db
      .insert(users)
      .values({ id, authenticator_id: domain.id, name, name_key: name, ...given });
    return id;
  };

  it('keeps the user whose entry was renamed, under the new name', async () => {
    const { id } = (await stand.logIn(domain, 'ann')).body.user;
    await rename('ann', 'ann2');
    const again = await stand.logIn(domain, 'ann2', passwordOf('ann'));
    expect(again.body.user).toMatchObject({ id, name: 'ann2' });
    expect(await rowOf(id)).toMatchObject({ name: 'ann2', name_key: 'ann2', state: 'active' });
    expect((await journalOf(id)).map(({ code }) => code)).toEqual(['directory_user_renamed']);
  });

  it('with a former name gets neither the account nor the roles, and the former user is renamed', async () => {
    const first = (await stand.logIn(domain, 'ben')).body;
    const role = await addRole(stand.world.admin, ['sites.read']);
    await stand.world.admin(`PATCH ${usersPath(domain)}/${first.user.id}`, { roles: [role.id] });
    await rename('ben', 'ben2');
    await add('ben');
    const { body } = await stand.logIn(domain, 'ben');
    expect(body.user).toMatchObject({ name: 'ben', roles: [] });
    expect(body.user.id).not.toBe(first.user.id);
    expect(await rowOf(first.user.id)).toMatchObject({ name: 'ben2', state: 'active' });
    const former = await stand.logIn(domain, 'ben2', passwordOf('ben'));
    expect(former.body.user).toMatchObject({ id: first.user.id, roles: [role.name] });
  });

  it('whose entry was deleted is deactivated when the name is reused, with sessions ended and an event', async () => {
    const first = (await stand.logIn(domain, 'cleo')).body;
    await remove('cleo');
    await add('cleo');
    const answers = await Promise.all([stand.logIn(domain, 'cleo'), stand.logIn(domain, 'cleo')]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(answers.map(({ body }) => body.user.id)).size).toBe(1);
    expect(answers[0].body.user.id).not.toBe(first.user.id);
    const former = await rowOf(first.user.id);
    expect(former).toMatchObject({ state: 'inactive', name: expect.stringMatching(/^cleo~[0-9a-f]{8}$/) });
    expect((await stand.world.portal.send('GET /api/userinfo', { token: first.token })).status).toBe(401);
    expect(await journalOf(first.user.id)).toMatchObject([
      { code: 'directory_user_gone', level: 'warning', details: { before: 'cleo', after: former.name } },
    ]);
  });

  it('is not confused with a former user of the name that an administrator has deactivated', async () => {
    const first = (await stand.logIn(domain, 'dan')).body;
    await stand.world.admin(`PATCH ${usersPath(domain)}/${first.user.id}`, { state: 'inactive' });
    expect(codeOf(await stand.logIn(domain, 'dan'))).toEqual([401, 'invalid_credentials']);
    await remove('dan');
    await add('dan');
    const { status, body } = await stand.logIn(domain, 'dan');
    expect([status, body.user?.id === first.user.id]).toEqual([200, false]);
    expect((await rowOf(first.user.id)).state).toBe('inactive');
  });

  it('is one user with its identifier after concurrent first logins', async () => {
    const answers = await Promise.all(Array.from({ length: 3 }, () => stand.logIn(domain, 'eli')));
    expect(new Set(answers.map(({ body }) => body.user?.id)).size).toBe(1);
    const { directory_id } = await rowOf(answers[0]?.body.user.id);
    expect(directory_id).toMatch(/^entryUUID:[0-9a-f]{8}-[0-9a-f-]{27}$/);
  });

  it('is bound to an account that was never used, and to no other', async () => {
    const fresh = await addRow('fay');
    expect((await stand.logIn(domain, 'fay')).body.user.id).toBe(fresh);
    const used = await addRow('gus', { last_login_at: new Date() });
    const { result, events } = await audited(stand.world.portal, () => stand.logIn(domain, 'gus'));
    expect(codeOf(result)).toEqual([403, 'forbidden']);
    expect(result.body.reason).toBe('user_not_bound');
    expect(events.map(({ event }) => event)).toEqual(['portal.LoginFailed']);
    expect((await rowOf(used)).directory_id).toBeNull();
    const wrong = await stand.logIn(domain, 'gus', 'wrong');
    expect(codeOf(wrong)).toEqual([401, 'invalid_credentials']);
  });

  describe('bound by an administrator', () => {
    const bind = (id: string) => stand.world.admin(`POST ${base}/users/${id}/bind`);

    it('logs in again, with an event of the binding', async () => {
      const id = await addRow('hal', { last_login_at: new Date() });
      const { result, events } = await audited(stand.world.portal, () => bind(id));
      expect(result).toMatchObject({ status: 200, body: { id, name: 'hal' } });
      expect(events).toMatchObject([{ event: 'portal.EntityAction', action: 'update', object_id: id }]);
      expect(JSON.stringify(events[0])).toContain('directory_id');
      expect((await stand.logIn(domain, 'hal')).body.user.id).toBe(id);
      expect(codeOf(await bind(id))).toEqual([409, 'invalid_state']);
    });

    it('needs an entry that no other user has, and the permissions of the user', async () => {
      const nowhere = await addRow('nowhere', { last_login_at: new Date() });
      expect((await bind(nowhere)).body).toMatchObject({ code: 'invalid_state', reason: 'no_entry' });
      expect((await bind(newId())).status).toBe(404);
      const { admin } = await builtin(stand.world.admin);
      expect((await bind(admin.id)).body).toMatchObject({ code: 'invalid_state', reason: 'no_directory' });
      const strong = await addRow('ida', { last_login_at: new Date() });
      const role = await addRole(stand.world.admin, ['users.update', 'sites.delete']);
      await stand.world.admin(`PATCH ${usersPath(domain)}/${strong}`, { roles: [role.id] });
      const { ask } = await addMember(stand.world, ['users.update']);
      const refused = await ask(`POST ${base}/users/${strong}/bind`);
      expect(refused).toMatchObject({ status: 403, body: { missing: ['sites.delete'] } });
      expect((await bind(strong)).status).toBe(200);
    });

    it('is one of several, of which each is looked up by the name', async () => {
      const used = { last_login_at: new Date() };
      const ids = [await addRow('jon', used), await addRow('absent', used)];
      const path = `POST ${usersPath(domain)}/bind`;
      const { body } = await stand.world.admin(path, { items: ids.map((id) => ({ id })) });
      expect(body).toMatchObject({ bound: [ids[0]], failed: [{ id: ids[1], reason: 'no_entry' }] });
      expect((await stand.logIn(domain, 'jon')).body.user.id).toBe(ids[0]);
    });
  });
});
