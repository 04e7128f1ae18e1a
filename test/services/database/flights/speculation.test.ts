import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { Driver } from '../../../support/database/neon-proxy.ts';
import {
  addDomain,
  addFarm,
  addGroup,
  addMember,
  addRole,
  addSite,
  addTag,
  adminOf,
  asker,
  base,
  domainsPath,
  logIn,
  startWorld,
  usersPath,
  useStand,
} from '../../../support/factories.ts';
import type { Answer, Json } from '../../../support/portal.ts';

type Stand = Awaited<ReturnType<typeof startStand>>;

const allPermissions = ['sites.read', 'farms.read', 'tags.read', 'tags.delete'];

/** A portal, and a member of a domain of its own with a role for one of two sites. */
async function startStand(driver: Driver) {
  const world = await startWorld({ driver });
  const admin = adminOf(world);
  const [site, other, domain] = [await addSite(admin), await addSite(admin), await addDomain(admin)];
  await addFarm(admin, site);
  await addFarm(admin, other);
  const member = await addMember({ ...world, domain }, allPermissions, [site.id]);
  const group = await addGroup(admin, domain);
  const second = await addRole(admin, ['users.read']);
  const tokens = [member.token];
  return {
    world,
    admin,
    site,
    other,
    domain,
    member,
    group,
    second,
    tokens,
    close: () => world.portal.close(),
  };
}

const readsOf = ({ site, other, domain }: Stand): string[] => [
  'GET /api/userinfo',
  'GET /api/userinfo/sessions',
  `GET ${base}/sites`,
  `GET ${base}/sites/${site.id}`,
  `GET ${base}/sites/${other.id}`,
  `GET ${base}/farms?sort=-name`,
  `GET ${base}/tags`,
  `GET ${usersPath(domain)}`,
];

type Change = (stand: Stand) => Promise<unknown>;

const change = async ({ admin }: Stand, path: string, body: object): Promise<void> => {
  const { status } = await admin(`PATCH ${path}`, body);
  expect(status).toBe(200);
};
const ofUser =
  (body: (stand: Stand) => object): Change =>
  (stand) =>
    change(stand, `${usersPath(stand.domain)}/${stand.member.user.id}`, body(stand));
const ofRole =
  (body: (stand: Stand) => object): Change =>
  (stand) =>
    change(stand, `${base}/rbac/${stand.member.role.id}`, body(stand));
const ofDomain =
  (body: object): Change =>
  (stand) =>
    change(stand, `${domainsPath}/${stand.domain.id}`, body);
const bySql =
  (statement: (userId: string) => ReturnType<typeof sql>): Change =>
  ({ world, member }) =>
    world.portal.ownerDb.execute(statement(member.user.id));

/** What a lookup of a session depends on. The changes undo each other, so that the member can read again. */
const changes: Record<string, Change> = {
  'a new session': async ({ world, domain, member, tokens }) => {
    const { status, body } = await logIn(world.portal, domain, member.user);
    if (status === 200) tokens.push(body.token);
  },
  'the end of all sessions': bySql((id) => sql`delete from login_sessions where user_id = ${id}`),
  'an inactive user': ofUser(() => ({ state: 'inactive' })),
  'an active user': ofUser(() => ({ state: 'active' })),
  'a disabled domain': ofDomain({ state: 'disabled' }),
  'an enabled domain': ofDomain({ state: 'visible' }),
  'no role': ofUser(() => ({ roles: [] })),
  'one role': ofUser(({ member }) => ({ roles: [member.role.id] })),
  'two roles': ofUser(({ member, second }) => ({ roles: [member.role.id, second.id] })),
  'fewer permissions': ofRole(() => ({ permissions: ['tags.read'] })),
  'all permissions': ofRole(() => ({ permissions: allPermissions })),
  'the scope of one site': ofRole(({ site }) => ({ scope: { sites: [site.id] } })),
  'the scope of the other site': ofRole(({ other }) => ({ scope: { sites: [other.id] } })),
  'the scope of all sites': ofRole(() => ({ scope: { sites: '*' } })),
  'a password that must be changed': bySql(
    (id) => sql`update users set must_change_password = true where id = ${id}`,
  ),
  'a password that is changed': bySql(
    (id) => sql`update users set must_change_password = false where id = ${id}`,
  ),
  'another name': ofUser(() => ({ real_name: 'Another Name' })),
  'a group': ofUser(({ group }) => ({ groups: [group.id] })),
  'another language': bySql(
    (id) => sql`update users set language = case language when 'ru' then 'en' else 'ru' end where id = ${id}`,
  ),
  'an expired session': bySql(
    (id) => sql`update login_sessions set idle_until = now() - interval '1 s' where user_id = ${id}`,
  ),
  'another row': async ({ admin }) => addTag(admin),
};

/** After any changes, the member can log in and read one site. */
async function restore(stand: Stand): Promise<void> {
  for (const name of [
    'an enabled domain',
    'an active user',
    'a password that is changed',
    'one role',
    'all permissions',
    'the scope of one site',
  ])
    await changes[name]?.(stand);
}

/** What a client sees of an answer. `instance` identifies the request. */
const seen = ({ status, body }: Answer) => ({ status, body: { ...body, instance: undefined } });

describe.each<Driver>([
  'pg',
  'neon',
])('the caller of a read is looked up with it, by the driver %s', (driver) => {
  const stand = useStand(() => startStand(driver));

  it('no sequence of changes gives an answer that differs from that of a portal without memory', async () => {
    const step = fc.record({ name: fc.constantFrom(...Object.keys(changes)), at: fc.nat() });
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const { world, tokens } = stand;
      const reads = readsOf(stand);
      await restore(stand);
      await changes['a new session']?.(stand);
      for (const read of reads) await world.portal.send(read, { token: tokens.at(-1) });
      for (const { name, at } of steps) {
        await changes[name]?.(stand);
        const read = reads[at % reads.length] ?? '';
        for (const token of tokens.slice(-2)) {
          const actual = await world.portal.send(read, { token });
          const expected = await world.portal.isolate()(read, { token });
          expect({ name, read, ...seen(actual) }).toEqual({ name, read, ...seen(expected) });
        }
      }
    });
    await fc.assert(property, { numRuns: 20, interruptAfterTimeLimit: 40_000 });
  }, 60_000);

  it('no read that starts after the end of a session is answered, with others under way', async () => {
    const { world, domain, member } = stand;
    await restore(stand);
    for (let round = 0; round < 5; round++) {
      const { token } = (await logIn(world.portal, domain, member.user)).body;
      const read = () => world.portal.send(`GET ${base}/tags`, { token });
      expect((await read()).status).toBe(200);
      const underWay = Array.from({ length: 8 }, read);
      const ended = world.portal.send('POST /api/auth/v7.0/logout', { token });
      const meanwhile = Array.from({ length: 8 }, read);
      expect((await ended).status).toBeLessThan(300);
      const after = await Promise.all(Array.from({ length: 8 }, read));
      expect(new Set(after.map(({ status }) => status))).toEqual(new Set([401]));
      for (const { status } of await Promise.all([...underWay, ...meanwhile]))
        expect([200, 401]).toContain(status);
    }
  }, 60_000);

  it('a change between the request and its lookup applies, and rows of the former scope are not shown', async () => {
    const { world, member, site, other, domain } = stand;
    await restore(stand);
    const { token } = (await logIn(world.portal, domain, member.user)).body;
    const ask = asker(world.portal, token);
    const namesOf = ({ body }: Answer) => body.items.map(({ id }: Json) => id);
    expect(namesOf(await ask(`GET ${base}/sites`))).toEqual([site.id]);
    const locker = new pg.Client({ connectionString: world.portal.database.ownerUrl });
    await locker.connect();
    try {
      await locker.query('begin; lock table login_sessions in access exclusive mode');
      const answer = ask(`GET ${base}/sites`);
      await expect.poll(() => waitingFor(world.portal.ownerDb, 'login_sessions')).toBe(1);
      await locker.query(
        `update roles set scope = jsonb_build_object('sites', jsonb_build_array($1::text)) where id = $2`,
        [other.id, member.role.id],
      );
      await locker.query('commit');
      expect(namesOf(await answer)).toEqual([other.id]);
    } finally {
      await locker.end();
    }
  }, 30_000);

  it.each([
    'the end of all sessions',
    'an inactive user',
    'a disabled domain',
    'no role',
    'fewer permissions',
    'a password that must be changed',
    'an expired session',
  ])('a deletion is refused after %s, and deletes nothing', async (name) => {
    const { world, admin, member, domain } = stand;
    await restore(stand);
    // Tags belong to no site.
    await changes['the scope of all sites']?.(stand);
    const { token } = (await logIn(world.portal, domain, member.user)).body;
    const ask = asker(world.portal, token);
    const [first, second] = [await addTag(admin), await addTag(admin)];
    expect((await ask(`DELETE ${base}/tags/${first.id}`)).status).toBe(204);
    await changes[name]?.(stand);
    expect([401, 403]).toContain((await ask(`DELETE ${base}/tags/${second.id}`)).status);
    expect((await admin(`GET ${base}/tags/${second.id}`)).status).toBe(200);
  });

  it('a deletion whose session ends before its lookup deletes nothing', async () => {
    const { world, admin, member, domain } = stand;
    await restore(stand);
    // Tags belong to no site.
    await changes['the scope of all sites']?.(stand);
    const { token } = (await logIn(world.portal, domain, member.user)).body;
    const ask = asker(world.portal, token);
    const tag = await addTag(admin);
    expect((await ask(`GET ${base}/tags/${tag.id}`)).status).toBe(200);
    const locker = new pg.Client({ connectionString: world.portal.database.ownerUrl });
    await locker.connect();
    try {
      await locker.query('begin; lock table login_sessions in access exclusive mode');
      const answer = ask(`DELETE ${base}/tags/${tag.id}`);
      await expect.poll(() => waitingFor(world.portal.ownerDb, 'login_sessions')).toBe(1);
      await locker.query('delete from login_sessions where user_id = $1', [member.user.id]);
      await locker.query('commit');
      expect((await answer).status).toBe(401);
    } finally {
      await locker.end();
    }
    expect((await admin(`GET ${base}/tags/${tag.id}`)).status).toBe(200);
  }, 30_000);

  it('a refused read has no effects: neither a last use nor an entry of the former caller', async () => {
    const { world, member, domain } = stand;
    await restore(stand);
    const { token } = (await logIn(world.portal, domain, member.user)).body;
    const ask = asker(world.portal, token);
    expect((await ask(`GET ${base}/sites`)).status).toBe(200);
    await changes['fewer permissions']?.(stand);
    expect((await ask(`GET ${base}/sites`)).status).toBe(403);
    await world.portal.settled();
    expect(world.portal.log.filter(({ message }) => message === 'background')).toEqual([]);
    await changes['all permissions']?.(stand);
    expect((await ask(`GET ${base}/sites`)).status).toBe(200);
  });
});

async function waitingFor(db: Stand['world']['portal']['ownerDb'], table: string): Promise<number> {
  const result = await db.execute(
    sql`select count(*)::int as n from pg_locks where not granted and relation = ${table}::regclass`,
  );
  return (result as unknown as { rows: { n: number }[] }).rows[0]?.n ?? 0;
}
