import { describe, expect, it } from 'vitest';
import { type CountingProxy, startCountingProxy } from '../../support/database/counting-proxy.ts';
import type { Driver } from '../../support/database/neon-proxy.ts';
import {
  addMember,
  addUser,
  adminOf,
  base,
  goodPassword,
  logIn,
  type Member,
  pool,
  startWorld,
  usersPath,
  useStand,
} from '../../support/factories.ts';
import { addRule, memberOf, siteWithFarms } from '../../support/fleet/rules.ts';
import type { Answer, Json } from '../../support/portal.ts';

type Stand = Awaited<ReturnType<typeof startStand>>;

/** A portal whose database is 4 ms away, and a site whose farm has one node. */
async function startStand(driver: Driver) {
  const proxies: CountingProxy[] = [];
  const world = await startWorld({
    driver,
    between: async (url) => {
      const proxy = await startCountingProxy(url);
      proxies.push(proxy);
      return proxy.url;
    },
  });
  const member = await addMember(world, []);
  const { site, farms } = await siteWithFarms(world, [{ pools: [pool('Office')] }]);
  const rule = await addRule(
    world,
    site,
    farms.map((at) => memberOf(at, 'Office')),
  );
  const close = async () => {
    await Promise.all(farms.map(({ node }) => node.simulator.close()));
    await world.portal.close();
    await Promise.all(proxies.map((proxy) => proxy.close()));
  };
  const trips = () => proxies.reduce((sum, proxy) => sum + proxy.trips(), 0);
  return { world, member, site, rule, trips, close };
}

type Operation = {
  name: string;
  /** Most round trips until the response, the session lookup included. */
  most: number;
  status?: number;
  run: (stand: Stand) => Promise<Answer>;
};

let serial = 0;
const named = (body: object = {}) => ({ name: `trips-${serial++}`, ...body });
const asAdmin = ({ world }: Stand) => adminOf(world);
const asMember = ({ member }: Stand): Member['ask'] => member.ask;
const clientPath = ({ site }: Stand) => `/aggregator/api/client/v7.0/${site.uri}`;
const created = async (stand: Stand, path: string, body: object): Promise<Json> =>
  (await asAdmin(stand)(`POST ${base}/${path}`, body)).body;

const operations: readonly Operation[] = [
  {
    name: 'the list of domains',
    most: 1,
    run: ({ world }) => world.portal.send('GET /api/auth/v7.0/authenticators'),
  },
  { name: 'the own user', most: 1, run: (stand) => asAdmin(stand)('GET /api/userinfo') },
  { name: 'a list', most: 1, run: (stand) => asAdmin(stand)(`GET ${base}/sites`) },
  { name: 'a record', most: 1, run: (stand) => asAdmin(stand)(`GET ${base}/sites/${stand.site.id}`) },
  {
    name: 'the overview of administrators',
    most: 1,
    run: (stand) => asAdmin(stand)(`GET ${base}/dashboard/admin`),
  },
  {
    name: 'the services of a site',
    most: 1,
    run: (stand) => asMember(stand)(`GET ${clientPath(stand)}/servicesList/`),
  },
  {
    name: 'a check of a connection',
    most: 1,
    run: (stand) => asMember(stand)(`GET ${clientPath(stand)}/preconnectionInfo/${stand.rule.id}`),
  },
  {
    name: 'a connection',
    most: 2,
    run: (stand) => asMember(stand)(`GET ${clientPath(stand)}/connectionInfo/${stand.rule.id}`),
  },
  {
    name: 'a connection as a file',
    most: 2,
    run: (stand) =>
      asMember(stand)(`GET ${clientPath(stand)}/connectionInfo/${stand.rule.id}`, undefined, {
        accept: 'application/x-rdp',
      }),
  },
  {
    name: 'a preference for a service',
    most: 3,
    run: (stand) =>
      asMember(stand)(`PATCH ${clientPath(stand)}/services/${stand.rule.id}`, { favourite: true }),
  },
  {
    name: 'the creation of a tag',
    most: 2,
    status: 201,
    run: (stand) => asAdmin(stand)(`POST ${base}/tags`, named()),
  },
  {
    name: 'the replacement of members of a site',
    most: 3,
    run: (stand) => asAdmin(stand)(`PATCH ${base}/sites/${stand.site.id}`, { comments: `${serial++}` }),
  },
];

describe.each<Driver>(['pg', 'neon'])('round trips to the database by the driver %s', (driver) => {
  const stand = useStand(() => startStand(driver));

  it.each(operations)('$name: at most $most', async ({ most, status = 200, run }) => {
    const settled = () => stand.world.portal.settled();
    // The first request fills the caches of the process and opens its connections.
    await run(stand);
    await settled();
    const before = stand.trips();
    const answer = await run(stand);
    const trips = stand.trips() - before;
    await settled();
    expect([answer.status, trips <= most ? most : trips]).toEqual([status, most]);
  });

  it('the deletion of a tag: at most 2', async () => {
    const [first, second] = [await created(stand, 'tags', named()), await created(stand, 'tags', named())];
    const remove = (tag: Json) => asAdmin(stand)(`DELETE ${base}/tags/${tag.id}`);
    await remove(first);
    await stand.world.portal.settled();
    const before = stand.trips();
    const { status } = await remove(second);
    expect([status, stand.trips() - before <= 2]).toEqual([204, true]);
  });

  it('the creation of a user: at most 3', async () => {
    const path = `POST ${usersPath(stand.world.domain)}`;
    await asAdmin(stand)(path, named({ password: goodPassword }));
    await stand.world.portal.settled();
    const before = stand.trips();
    const { status } = await asAdmin(stand)(path, named({ password: goodPassword }));
    expect([status, stand.trips() - before]).toEqual([201, 3]);
  });

  it('a creation and a replacement with Idempotency-Key: one more than without', async () => {
    const headers = () => ({ 'idempotency-key': `key-${serial++}` });
    const path = `POST ${usersPath(stand.world.domain)}`;
    const runs = [
      () => asAdmin(stand)(`POST ${base}/tags`, named(), headers()),
      () => asAdmin(stand)(path, named({ password: goodPassword }), headers()),
      () => asAdmin(stand)(`PATCH ${base}/sites/${stand.site.id}`, { comments: `${serial++}` }, headers()),
    ];
    for (const run of runs) await run();
    const counted: [number, number][] = [];
    for (const run of runs) {
      await stand.world.portal.settled();
      const before = stand.trips();
      const { status } = await run();
      counted.push([status, stand.trips() - before]);
    }
    expect(counted).toEqual([
      [201, 3],
      [201, 4],
      [200, 4],
    ]);
  });

  it('a repetition with Idempotency-Key: at most 4', async () => {
    const body = { comments: `${serial++}` };
    const headers = { 'idempotency-key': `key-${serial++}` };
    const change = () => asAdmin(stand)(`PATCH ${base}/sites/${stand.site.id}`, body, headers);
    const first = await change();
    await stand.world.portal.settled();
    const before = stand.trips();
    expect((await change()).body).toEqual(first.body);
    expect(stand.trips() - before).toBeLessThanOrEqual(4);
  });

  it('a login: at most 3', async () => {
    const user = await addUser(asAdmin(stand), stand.world.domain, {});
    await logIn(stand.world.portal, stand.world.domain, user);
    await stand.world.portal.settled();
    const before = stand.trips();
    const { status } = await logIn(stand.world.portal, stand.world.domain, user);
    expect([status, stand.trips() - before]).toEqual([200, 3]);
  });
});
