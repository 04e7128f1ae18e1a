import { and, eq, sql } from 'drizzle-orm';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { atomically } from '../../../db/client.ts';
import { renameUser, retireUser } from '../../../db/repositories/identity/directory/users.ts';
import { users } from '../../../db/schema/identity/users.ts';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { passwordOf, person, personDn, posixGroup } from '../../support/directories/entries.ts';
import { hasSlapd } from '../../support/directories/slapd.ts';
import { startDirectoryStand } from '../../support/directories/stand.ts';
import { addRole, base, usersPath, useStand } from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

const names = ['ann', 'ben', 'cleo', 'dan', 'eli', 'fay', 'gus', 'hal', 'ida', 'jon', 'kim'];
const ldif = [...names.map((uid) => person(uid)), posixGroup('staff', [...names, 'moved', 'taken'])].join('');
const ambiguous = { status: 502, body: { code: 'upstream_failed', reason: 'ambiguous_identifier' } };
const guid = '00112233445566778899aabbccddeeff';
const octetsOf = (hex: string): string => `objectGUID:: ${Buffer.from(hex, 'hex').toString('base64')}`;

requireService('slapd', hasSlapd)('identifiers of entries', () => {
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
  /** @param value with its attribute, as in LDIF */
  const addValue = (uid: string, value: string) =>
    stand.slapd.change(`dn: ${personDn(uid)}\nchangetype: modify\nadd: ${value.split(':')[0]}\n${value}\n`);
  /** The first login of a user who then gets a role. */
  const addPrivileged = async (of: Json, uid: string): Promise<string> => {
    const { id } = (await stand.logIn(of, uid)).body.user;
    const role = await addRole(stand.world.admin, ['sites.read']);
    await stand.world.admin(`PATCH ${usersPath(of)}/${id}`, { roles: [role.id] });
    return id;
  };
  /** A domain of another type with the entries of this one. */
  const domainAs = (type: 'freeipa' | 'active_directory'): Promise<Json> =>
    stand.domainFor(
      'staff',
      {
        user_class: 'inetOrgPerson',
        user_id_attribute: 'uid',
        group_class: 'posixGroup',
        member_attribute: 'memberUid',
      },
      { type },
    );

  it.each([
    'ipaUniqueID',
    'nsUniqueId',
    'objectGUID',
  ])('the identifier of another entry in %s gives access to neither the account nor its roles', async (attribute) => {
    const [victim, thief] = attribute === 'objectGUID' ? ['ann', 'ben'] : ['ann', 'dan'];
    const id = await addPrivileged(domain, victim);
    const { directory_id } = await rowOf(id);
    const value = (directory_id ?? '').replace(/^entryUUID:/, '');
    await addValue(thief, `${attribute}: ${value}`);
    const { status, body } = await stand.logIn(domain, thief);
    expect([status, body.user?.id === id, body.user?.roles]).toEqual([200, false, []]);
    expect(await rowOf(id)).toMatchObject({ name: victim, directory_id });
  });

  it('an ordinary nsUniqueId does not match an account identified by a 389 Directory Server', async () => {
    const id = await addPrivileged(domain, 'cleo');
    const stored = 'nsUniqueId:96428786-e6a911f1-975c80ee-ae7bfa16';
    await stand.world.portal.db.update(users).set({ directory_id: stored }).where(eq(users.id, id));
    await addValue('eli', stored.replace(':', ': '));
    const { status, body } = await stand.logIn(domain, 'eli');
    expect([status, body.user?.id === id, body.user?.roles]).toEqual([200, false, []]);
  });

  it('another identifier that appears later changes nothing', async () => {
    const { id } = (await stand.logIn(domain, 'fay')).body.user;
    const { directory_id } = await rowOf(id);
    await addValue('fay', octetsOf('ee'.repeat(16)));
    await addValue('fay', 'nsUniqueId: 96428786-e6a911f1-975c80ee-ae7bfa17');
    const again = await stand.logIn(domain, 'fay');
    expect([again.status, again.body.user?.id]).toEqual([200, id]);
    expect((await rowOf(id)).directory_id).toBe(directory_id);
  });

  it('a domain of type active_directory reads objectGUID as octets and finds the entry by them', async () => {
    const active = await domainAs('active_directory');
    await addValue('kim', octetsOf(guid));
    const { id } = (await stand.logIn(active, 'kim')).body.user;
    expect((await rowOf(id)).directory_id).toBe(`objectGUID:${guid}`);
    await stand.slapd.change(
      `dn: ${personDn('kim')}\nchangetype: modrdn\nnewrdn: uid=moved\ndeleteoldrdn: 1\n`,
    );
    await stand.slapd.change(
      person('kim')
        .replace('\n', '\nchangetype: add\n')
        .replace(/\n*$/, `\n${octetsOf('ff'.repeat(16))}\n`),
    );
    expect((await stand.logIn(active, 'kim')).body.user.id).not.toBe(id);
    expect(await rowOf(id)).toMatchObject({ name: 'moved', state: 'active' });
    const former = await stand.logIn(active, 'moved', passwordOf('kim'));
    expect(former.body.user.id).toBe(id);
  });

  it('a domain without the attribute of its type opens no session', async () => {
    const active = await domainAs('active_directory');
    expect(await stand.logIn(active, 'gus')).toMatchObject({
      status: 502,
      body: { reason: 'no_identifier' },
    });
    const ipa = await domainAs('freeipa');
    await addValue('gus', 'ipaUniqueID: 11111111-2222-11f1-8888-000000000001');
    await addValue('gus', 'ipaUniqueID: 11111111-2222-11f1-8888-000000000002');
    expect(await stand.logIn(ipa, 'gus')).toMatchObject({ status: 502, body: { reason: 'no_identifier' } });
  });

  describe('one identifier on two entries', () => {
    it('opens no session under another name, and binds no user', async () => {
      const ipa = await domainAs('freeipa');
      const shared = 'ipaUniqueID: 11111111-2222-11f1-8888-00000000000a';
      await addValue('hal', shared);
      const id = await addPrivileged(ipa, 'hal');
      await addValue('ida', shared);
      expect(await stand.logIn(ipa, 'ida')).toMatchObject(ambiguous);
      expect((await stand.logIn(ipa, 'hal')).body.user).toMatchObject({ id, name: 'hal' });
      // An unbound row with the name does not give access to the other row.
      const own = newId();
      const row = {
        id: own,
        authenticator_id: ipa.id,
        name: 'ida',
        name_key: 'ida',
        last_login_at: new Date(),
      };
      await stand.world.portal.db.insert(users).values(row);
      expect(await stand.logIn(ipa, 'ida')).toMatchObject(ambiguous);
      expect(await stand.world.admin(`POST ${base}/users/${own}/bind`)).toMatchObject(ambiguous);
      expect(await rowOf(id)).toMatchObject({ name: 'hal', state: 'active' });
    });
  });

  describe('fallback names of users', () => {
    const addRow = async (name: string): Promise<typeof users.$inferSelect> => {
      const id = newId();
      const given = { id, authenticator_id: domain.id, name, name_key: name };
      await stand.world.portal.db.insert(users).values(given);
      return rowOf(id);
    };
    const record = (after: string) => ({
      at: new Date(),
      level: 'info' as const,
      code: 'test',
      message: after,
      object_type: 'user' as const,
      object_name: after,
    });

    it('cannot be predicted from the identifier', async () => {
      const digits = async (): Promise<string> => {
        await stand.logIn(domain, 'jon');
        const { directory_id } = (await stand.world.portal.db.select().from(users).where(of('jon')))[0] ?? {};
        await stand.slapd.change(`dn: ${personDn('jon')}\nchangetype: delete\n`);
        await stand.slapd.change(person('jon').replace('\n', '\nchangetype: add\n'));
        expect((await stand.logIn(domain, 'jon')).status).toBe(200);
        const [former] = await stand.world.portal.db
          .select()
          .from(users)
          .where(eq(users.directory_id, directory_id ?? ''));
        // The same identifier again, as in a restored directory.
        await stand.world.portal.db.delete(users).where(eq(users.directory_id, directory_id ?? ''));
        await stand.world.portal.db.update(users).set({ directory_id }).where(of('jon'));
        return former?.name ?? '';
      };
      const of = (name: string) => and(eq(users.authenticator_id, domain.id), eq(users.name_key, name));
      const [one, two] = [await digits(), await digits()];
      expect(one).toMatch(/^jon~[0-9a-f]{8}$/);
      expect(two).toMatch(/^jon~[0-9a-f]{8}$/);
      expect(one).not.toBe(two);
    });

    it('are used when another write takes the name during the login', async () => {
      const { portal } = stand.world;
      const { id } = (await stand.logIn(domain, 'gus')).body.user;
      await stand.slapd.change(
        `dn: ${personDn('gus')}\nchangetype: modrdn\nnewrdn: uid=taken\ndeleteoldrdn: 1\n`,
      );
      const other = new pg.Client({ connectionString: portal.database.ownerUrl });
      // A failed test leaves it open, and the database is dropped.
      other.on('error', () => undefined);
      await other.connect();
      await other.query('begin');
      await other.query(
        'insert into users (id, authenticator_id, name, name_key, directory_id) values ($1, $2, $3, $3, $4)',
        [newId(), domain.id, 'taken', 'entryUUID:00000000-0000-0000-0000-000000000000'],
      );
      const login = stand.logIn(domain, 'taken', passwordOf('gus'));
      // As the role of the login, whose activity other roles cannot read.
      const isWaiting = sql<boolean>`exists(select 1 from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like 'update "users"%')`;
      const waits = async () =>
        (await portal.db.select({ isWaiting }).from(sql`(values (1)) as once`))[0]?.isWaiting;
      await expect.poll(waits, { timeout: 10_000 }).toBe(true);
      await other.query('commit');
      await other.end();
      expect((await login).status).toBe(200);
      expect((await rowOf(id)).name).toMatch(/^taken~[0-9a-f]{8}$/);
    });

    it('are longer if the shorter one is taken, and the journal names it', async () => {
      const { db } = stand.world.portal;
      const [gone, moved] = [await addRow('gone'), await addRow('away')];
      const [short, next] = [await addRow('gone~00000000'), await addRow('next')];
      const fallbacks = [short.name, 'gone~00000000000000000000000000000000'] as const;
      await atomically(db, (h) =>
        retireUser(h, gone, fallbacks, (name) => ({ ...record(name), object_id: gone.id })),
      );
      expect(await rowOf(gone.id)).toMatchObject({
        name: fallbacks[1],
        name_key: fallbacks[1],
        state: 'inactive',
      });
      const written = await db
        .select()
        .from(monitoringRecords)
        .where(eq(monitoringRecords.object_id, gone.id));
      expect(written.map(({ object_name }) => object_name)).toEqual([fallbacks[1]]);
      const long = 'away~00000000000000000000000000000000';
      const name = { name: 'next', nameKey: next.name_key, fallbacks: [short.name, long] as const };
      await atomically(db, (h) => renameUser(h, moved, name, { ...record('next'), object_id: moved.id }));
      expect(await rowOf(moved.id)).toMatchObject({ name: long, name_key: long });
    });
  });
});
