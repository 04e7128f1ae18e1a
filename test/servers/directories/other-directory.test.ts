import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { users } from '../../../db/schema/identity/users.ts';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { type FreezableProxy, startFreezableProxy } from '../../support/database/freezable-proxy.ts';
import { person, personDn, posixGroup } from '../../support/directories/entries.ts';
import { startFakeDirectory } from '../../support/directories/fake-directory.ts';
import { hasSlapd, type Slapd, startSlapd } from '../../support/directories/slapd.ts';
import { startDirectoryStand } from '../../support/directories/stand.ts';
import {
  addMember,
  addRole,
  audited,
  base,
  directoryBody,
  domainsPath,
  usersPath,
  useStand,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

const entryUUID = '7b1d6a5e-0c1f-4b52-9d3c-2f6f0a1b2c3d';
const staff = posixGroup('staff', ['alice', 'erin', 'mallory', 'frank', 'gina']);
const own = [person('alice'), person('erin', { entryUUID }), person('gina'), staff].join('');
/** Another directory with the same suffix. It has an entry with a copied identifier. */
const foreign = [person('alice'), person('mallory', { entryUUID }), person('frank'), staff].join('');
const refused = [502, 'upstream_refused', 'other_directory'];
const reasonOf = ({ status, body }: Json): unknown => [status, body.code, body.reason];

requireService('slapd', hasSlapd)('a domain whose servers belong to another directory', () => {
  const stand = useStand(() => startDirectoryStand(own));
  let [other, proxy]: [Slapd, FreezableProxy] = [] as never;
  let domain: Json;
  beforeAll(async () => {
    other = await startSlapd(await stand.authority.issue(), foreign);
    proxy = await startFreezableProxy(stand.slapd.url);
  });
  afterAll(async () => {
    await proxy.close();
    await other.stop();
  });
  beforeEach(async () => {
    proxy.redirect(stand.slapd.url);
    domain = await stand.domainFor('staff', { hosts: [proxy.url.replace(/\/$/, '')], ca_certificate: null });
  });

  const viewed = async (): Promise<Json> => (await stand.world.admin(`GET ${domainsPath}/${domain.id}`)).body;
  const identityOf = async () => {
    const { directory_authority, other_directory } = await viewed();
    return [directory_authority, other_directory];
  };
  const accept = (authority: string, ask = stand.world.admin) =>
    ask(`POST ${domainsPath}/${domain.id}/accept_directory`, { authority });
  const enter = async (name: string): Promise<Json> => (await stand.logIn(domain, name)).body;
  const isSignedIn = async (token: string) =>
    (await stand.world.portal.send('GET /api/userinfo', { token })).status === 200;
  const grant = async (user: Json): Promise<Json> => {
    const role = await addRole(stand.world.admin, ['sites.read']);
    await stand.world.admin(`PATCH ${usersPath(domain)}/${user.id}`, { roles: [role.id] });
    return role;
  };
  const rowOf = async (id: string) =>
    (await stand.world.portal.db.select().from(users).where(eq(users.id, id)))[0];
  const journal = () =>
    stand.world.portal.db
      .select()
      .from(monitoringRecords)
      .where(and(eq(monitoringRecords.object_id, domain.id), eq(monitoringRecords.code, 'other_directory')));

  it('refuses logins and bindings before a password is sent, with one record in the journal', async () => {
    const { user, token } = await enter('alice');
    const [present] = await identityOf();
    expect(await rowOf(user.id)).toMatchObject({ directory_authority: present });
    const unbound = await stand.world.admin(`POST ${usersPath(domain)}`, { name: 'frank' });
    proxy.redirect(other.url);
    const { result, events } = await audited(stand.world.portal, () => stand.logIn(domain, 'alice'));
    expect(reasonOf(result)).toEqual(refused);
    expect(events.map(({ event, details }) => [event, details.code])).toEqual([
      ['portal.LoginFailed', 'upstream_refused'],
    ]);
    expect(reasonOf(await stand.logIn(domain, 'frank'))).toEqual(refused);
    const bound = await stand.world.admin(`POST ${base}/users/${unbound.body.id}/bind`);
    expect(reasonOf(bound)).toEqual(refused);
    expect(await other.bindsAs(personDn('alice'))).toBe(0);
    const [, shown] = await identityOf();
    expect(shown).toMatch(/^[0-9a-f-]{36}$/);
    expect(shown).not.toBe(present);
    expect((await journal()).map(({ details }) => details)).toEqual([{ before: present, after: shown }]);
    expect(await isSignedIn(token)).toBe(true);
  });

  it('accepts logins again when its own directory is back, and records the next change', async () => {
    await enter('alice');
    for (const times of [1, 2]) {
      proxy.redirect(other.url);
      expect(reasonOf(await stand.logIn(domain, 'alice'))).toEqual(refused);
      expect(await journal()).toHaveLength(times);
      proxy.redirect(stand.slapd.url);
      expect((await stand.logIn(domain, 'alice')).status).toBe(200);
      expect((await viewed()).other_directory).toBe(null);
    }
  });

  it('has new users after an administrator accepts the directory, and the former ones after its return', async () => {
    const [alice, erin] = [await enter('alice'), await enter('erin')];
    const role = await grant(erin.user);
    const [present] = await identityOf();
    proxy.redirect(other.url);
    await stand.logIn(domain, 'alice');
    const [, shown] = await identityOf();
    const { result, events } = await audited(stand.world.portal, () => accept(shown));
    expect(result).toMatchObject({
      status: 200,
      body: { directory_authority: shown, other_directory: null, other_directory_at: null },
    });
    expect(events).toMatchObject([
      { changes: [{ field: 'directory_authority', before: present, after: shown }] },
    ]);
    expect([await isSignedIn(alice.token), await isSignedIn(erin.token)]).toEqual([false, false]);
    const mallory = await enter('mallory');
    expect(mallory.user).toMatchObject({ name: 'mallory', roles: [] });
    expect(mallory.user.id).not.toBe(erin.user.id);
    expect(reasonOf(await stand.logIn(domain, 'alice'))).toEqual([403, 'forbidden', 'name_in_use']);
    expect(await rowOf(erin.user.id)).toMatchObject({ name: 'erin', state: 'active' });

    proxy.redirect(stand.slapd.url);
    expect(reasonOf(await stand.logIn(domain, 'erin'))).toEqual(refused);
    expect((await accept(present)).status).toBe(200);
    expect((await enter('erin')).user).toMatchObject({ id: erin.user.id, roles: [role.name] });
  });

  it('keeps users without a login in the former directory', async () => {
    const { user } = await enter('erin');
    const { db } = stand.world.portal;
    await db.update(users).set({ directory_authority: '' }).where(eq(users.id, user.id));
    const [present] = await identityOf();
    proxy.redirect(other.url);
    await stand.logIn(domain, 'alice');
    const [, shown] = await identityOf();
    await accept(shown);
    expect(await rowOf(user.id)).toMatchObject({ directory_authority: present });
    expect((await enter('mallory')).user.id).not.toBe(user.id);
  });

  it('is accepted only as it is shown, and with the permissions of the users of the domain', async () => {
    const { user } = await enter('erin');
    await grant(user);
    expect(reasonOf(await accept('S-1-5-21-1'))).toEqual([409, 'invalid_state', 'not_shown']);
    proxy.redirect(other.url);
    await stand.logIn(domain, 'alice');
    const [, shown] = await identityOf();
    expect(reasonOf(await accept('S-1-5-21-1'))).toEqual([409, 'invalid_state', 'not_shown']);
    const { ask } = await addMember(stand.world, ['authenticators.read', 'authenticators.update']);
    expect((await accept(shown, ask)).body).toMatchObject({ code: 'forbidden', missing: ['sites.read'] });
  });

  it('is reported by the connection test, as is a directory that does not show its identity', async () => {
    const test = async (body: Json): Promise<Json> =>
      (await stand.world.admin(`POST ${domainsPath}/test/ldap`, body)).body.checks.find(
        ({ name }: Json) => name === 'identity',
      );
    const { params } = domain;
    await enter('alice');
    const [present] = await identityOf();
    expect(await test({ id: domain.id, params })).toMatchObject({ status: 'pass', detail: present });
    proxy.redirect(other.url);
    expect(await test({ id: domain.id, params })).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining(`instead of ${present}`),
    });
    const fake = await startFakeDirectory(() => ({ code: 0 }));
    expect(await test(directoryBody({ hosts: [fake.url] }))).toMatchObject({ status: 'skipped' });
    await fake.close();
  });

  it('shows the first directory to one of several concurrent logins', async () => {
    const answers = await Promise.all(['alice', 'erin', 'gina'].map((name) => stand.logIn(domain, name)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await enter('alice')).toMatchObject({ user: { id: answers[0]?.body.user.id } });
  });
});
