import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { NeededLists } from '../../../db/repositories/routing/site-lists.ts';
import { findUserSite } from '../../../db/repositories/sites/user-site.ts';
import { authenticators } from '../../../db/schema/identity/authenticators.ts';
import { issuedConnections } from '../../../db/schema/routing/issued-connections.ts';
import { ruleMembers, rules } from '../../../db/schema/routing/rules.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { farms } from '../../../db/schema/sites/farms.ts';
import { sites } from '../../../db/schema/sites/sites.ts';
import { pools } from '../../../db/schema/snapshot/pools.ts';
import { serviceLists } from '../../../db/schema/snapshot/service-lists.ts';
import { workplaceSessions } from '../../../db/schema/snapshot/workplace-sessions.ts';
import { revisionOf } from '../../../shared/services/revisions.ts';
import { heldLists } from '../../../shared/services/validator.ts';
import {
  addDomain,
  addGroup,
  addMember,
  addPriorityGroup,
  addTemplate,
  adminOf,
  base,
  pool,
  unique,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import {
  addRule,
  addSnapshotPool,
  addSnapshotSession,
  ageLists,
  type FarmWithNode,
  memberOf,
  siteWithFarms,
  uuidOf,
} from '../../support/fleet/rules.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);
const started: FarmWithNode[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map(({ node }) => node.simulator.close()));
});

/** A site with two farms, and rules of every kind for their pools. */
async function startFleet() {
  const member = await addMember(world, []);
  const { site, farms: made } = await siteWithFarms(world, [
    { pools: [pool('East'), pool('Both')] },
    { pools: [pool('West'), pool('Also')] },
  ]);
  started.push(...made);
  const [east, west] = made;
  if (!east || !west) throw new Error('two farms were asked for');
  await addSnapshotPool(world, east, 'East');
  await addSnapshotPool(world, east, 'Both', { tags: ['shared'] });
  await addSnapshotPool(world, west, 'Also', { tags: ['shared'] });
  const members = [memberOf(east, 'Both'), memberOf(west, 'Also')];
  const rule = await addRule(world, site, members);
  return { member, site, east, west, rule };
}
type Fleet = Awaited<ReturnType<typeof startFleet>>;

const pathOf = ({ site }: Fleet) => `GET /aggregator/api/client/v7.0/${site.uri}/servicesList/`;

async function list(fleet: Fleet, etag?: string) {
  const answer = await fleet.member.ask(
    pathOf(fleet),
    undefined,
    etag === undefined ? {} : { 'if-none-match': etag },
  );
  await world.portal.settled();
  return { ...answer, etag: answer.headers.get('etag') ?? undefined };
}

/** The bytes of an answer without the members that its tag does not cover. */
const covered = ({ body }: Json): string =>
  JSON.stringify(body, (name, value) => {
    if (name === 'age_ms' || name === 'took_ms') return undefined;
    return value?.status === 'ok' ? { ...value, fetched_at: '' } : value;
  });

const db = () => world.portal.db;

const setFarm = (given: Partial<typeof farms.$inferInsert>) => (fleet: Fleet) =>
  db().update(farms).set(given).where(eq(farms.id, fleet.east.farm.id));
const setSite = (given: Partial<typeof sites.$inferInsert>) => (fleet: Fleet) =>
  db().update(sites).set(given).where(eq(sites.id, fleet.site.id));
const setRule = (given: Partial<typeof rules.$inferInsert>) => (fleet: Fleet) =>
  db().update(rules).set(given).where(eq(rules.id, fleet.rule.id));
const setPool = (given: Partial<typeof pools.$inferInsert>) => (fleet: Fleet) =>
  db().update(pools).set(given).where(eq(pools.farm_id, fleet.east.farm.id));
const setNode = (given: Partial<typeof dispatchers.$inferInsert>) => (fleet: Fleet) =>
  db().update(dispatchers).set(given).where(eq(dispatchers.id, fleet.east.node.dispatcher.id));
/** A change at the dispatcher takes effect when the cached list has expired. */
const onNode = (name: string, given: Json) => async (fleet: Fleet) => {
  const { state } = fleet.east.node.simulator;
  const known = state.poolNamed(name);
  Object.assign(known, given);
  await ageLists(world, fleet.member, 20);
};
const groupsOf = async ({ member }: Fleet, groups: string[]) =>
  admin(`PATCH ${usersPath(world.domain)}/${member.user.id}`, { groups });

/** What a list depends on, and what it does not depend on. */
const changes: Record<string, (fleet: Fleet) => unknown> = {
  nothing: () => undefined,
  'time until the lists expire': ({ member }) => ageLists(world, member, 20),
  'time until the lists are removed': ({ member }) => ageLists(world, member, 700),
  'the lists are cleaned up': ({ member }) =>
    db().delete(serviceLists).where(eq(serviceLists.user_id, member.user.id)),
  'a pool has another description': onNode('East', { description: 'Another' }),
  'a pool has no description': onNode('East', { description: '' }),
  'a pool of the rule has other protocols': onNode('Both', { protocols: ['rdp'] }),
  'a pool is withdrawn': onNode('East', { entitled: { users: [], groups: [] } }),
  'a pool is granted': onNode('East', { entitled: 'all' }),
  'a busy pool': onNode('Both', { state: 'busy' }),
  'maintenance at the dispatcher': onNode('Both', { maintenance: true, maintenance_message: 'Noon' }),
  'end of maintenance at the dispatcher': onNode('Both', { maintenance: false }),
  'the node fails': async ({ east, member }) => {
    east.node.simulator.knobs.failing = 500;
    await ageLists(world, member, 20);
  },
  'the node answers': ({ east }) => Object.assign(east.node.simulator.knobs, { failing: null }),
  'an open circuit': setNode({ circuit: 'open', circuit_probe_until: new Date(Date.now() + 3_600_000) }),
  'a closed circuit': setNode({ circuit: 'closed', circuit_failures: 0, status: 'pass' }),
  'a failing probe': setNode({ status: 'fail' }),
  'a slow probe': setNode({ response_time_ms: 77 }),
  'an unlinked domain': setNode({
    domains: [{ authUuid: '0', authSmallName: 'another', auth: 'Another' }],
    domains_at: new Date(Date.now() + 60_000),
  }),
  'domains are unknown': setNode({ domains: null, domains_at: null }),
  'a disabled node': setNode({ enabled: false }),
  'an enabled node': setNode({ enabled: true }),
  'a disabled farm': setFarm({ enabled: false }),
  'an enabled farm': setFarm({ enabled: true }),
  'maintenance of a farm': setFarm({ maintenance: true }),
  'end of maintenance of a farm': setFarm({ maintenance: false }),
  'another name of a farm': (fleet) => {
    const name = unique('farm');
    return setFarm({ name, name_key: name })(fleet);
  },
  'maintenance of the site': setSite({ maintenance: true }),
  'end of maintenance of the site': setSite({ maintenance: false }),
  'announced maintenance': async (fleet) => {
    const start_at = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = await addTemplate(admin, { start_at });
    await setFarm({ maintenance: true, maintenance_template_id: id })(fleet);
  },
  'end of announced maintenance': setFarm({ maintenance: false, maintenance_template_id: null }),
  'another name of the site': (fleet) => {
    const name = unique('site');
    return setSite({ name, name_key: name })(fleet);
  },
  'a blocked pool': setPool({ maintenance: true, maintenance_message: 'Later' }),
  'an unknown pool': setPool({ maintenance: null }),
  'a free pool': setPool({ maintenance: false, maintenance_message: null }),
  'another usage': setPool({ usage_percent: 99 }),
  'other tags of pools': setPool({ tags: ['other'] }),
  'common tags of pools': setPool({ tags: ['shared'] }),
  'a session in the snapshot': ({ east, member }) => addSnapshotSession(world, east, 'Both', member),
  'no sessions in the snapshot': () => db().delete(workplaceSessions),
  'a connection': async (fleet) => {
    const id = `${fleet.east.farm.id}.${uuidOf(fleet.east, 'East')}`;
    await fleet.member.ask(`GET /aggregator/api/client/v7.0/${fleet.site.uri}/connectionInfo/${id}`);
  },
  'a connection by the rule': async ({ member, site, rule }) => {
    await member.ask(`GET /aggregator/api/client/v7.0/${site.uri}/connectionInfo/${rule.id}`);
  },
  'a connection two minutes ago': ({ rule }) =>
    db()
      .update(issuedConnections)
      .set({ issued_at: new Date(Date.now() - 121_000) })
      .where(eq(issuedConnections.rule_id, rule.id)),
  'a favourite pool': (fleet) => prefer(fleet, { favourite: true }),
  'another choice for a pool': (fleet) => prefer(fleet, { launch: 'rdp' }),
  'no preferences': (fleet) => prefer(fleet, { favourite: false, launch: null }),
  'a preference of another user': async (fleet) =>
    prefer({ ...fleet, member: await addMember(world, []) }, {}),
  'another text of the rule': (fleet) => setRule({ display_name: unique('Rule') })(fleet),
  'a disabled rule': setRule({ enabled: false }),
  'an enabled rule': setRule({ enabled: true }),
  'a rule without failover': setRule({ failover: false }),
  'a rule with failover': setRule({ failover: true }),
  'a rule of the last use': setRule({ affinity: 'last_used' }),
  'a rule in turns': setRule({ policy: 'round_robin' }),
  'a rule by load': setRule({ policy: 'least_loaded' }),
  'a rule by chance': setRule({ policy: 'random' }),
  'a rule by tags': setRule({ match_tags: { all: ['shared'], any: [] } }),
  'a rule by members': setRule({ match_tags: null }),
  'a disabled member': ({ east }) =>
    db().update(ruleMembers).set({ enabled: false }).where(eq(ruleMembers.farm_id, east.farm.id)),
  'a group with a rule of its own': async (fleet) => {
    const group = await addGroup(world.admin, world.domain);
    await addRule(world, fleet.site, [memberOf(fleet.west, 'West')], { groups: [group.id] });
    await groupsOf(fleet, [group.id]);
  },
  'no groups': (fleet) => groupsOf(fleet, []),
  'a priority group': ({ west, member }) =>
    addPriorityGroup(world.admin, {
      users: [member.user.id],
      farms: [{ farm_id: west.farm.id, priority: 1 }],
    }),
  'another domain': () => addDomain(world.admin),
  'another name of the domain': () =>
    db()
      .update(authenticators)
      .set({ name: unique('Domain') })
      .where(eq(authenticators.id, world.domain.id)),
  'another language': ({ member }) =>
    admin(`PATCH ${usersPath(world.domain)}/${member.user.id}`, { language: 'ru' }),
  'lists stay fresh for a minute': () => setFresh(60),
  'lists are never fresh': () => setFresh(0),
  'lists are fresh by default': () => setFresh(15),
};

const prefer = ({ member, site, east }: Fleet, body: object) =>
  member.ask(
    `PATCH /aggregator/api/client/v7.0/${site.uri}/services/${east.farm.id}.${uuidOf(east, 'East')}`,
    body,
  );

const setFresh = (value: number) =>
  admin(`PUT ${base}/tconfig`, { aggregator: { services_fresh_s: { value } } });

/** @returns the number of answers 304 */
async function assertValid(fleet: Fleet, names: readonly string[]): Promise<number> {
  const answers = new Map<string, string>();
  const learn = (step: string, answer: Json): void => {
    if (answer.status !== 200 || answer.etag === undefined) return;
    const known = answers.get(answer.etag);
    if (known !== undefined) expect(covered(answer), step).toBe(known);
    answers.set(answer.etag, covered(answer));
  };
  learn('first', await list(fleet));
  let unchanged = 0;
  for (const [at, name] of names.entries()) {
    const step = `${at}: ${names.slice(0, at + 1).join(', ')}`;
    await changes[name]?.(fleet);
    await world.portal.settled();
    const tags = [...answers.keys()];
    const conditional = await list(fleet, tags.at(-1));
    if (conditional.status === 304) {
      unchanged += 1;
      expect(tags, step).toContain(conditional.etag);
      const plain = await list(fleet);
      expect([plain.status, covered(plain)], step).toEqual([200, answers.get(conditional.etag ?? '')]);
      learn(step, plain);
    } else learn(step, conditional);
    learn(step, await list(fleet));
  }
  return unchanged;
}

describe('the ETag of a list of services', () => {
  it('is another one after each change of the list', { timeout: 120_000 }, async () => {
    await setFresh(15);
    expect(await assertValid(await startFleet(), Object.keys(changes))).toBeGreaterThan(5);
  });

  it('is another one when a rule without failover offers another member', { timeout: 60_000 }, async () => {
    await setFresh(15);
    const order = ['a priority group', 'a rule of the last use', 'a connection by the rule'];
    const later = ['a connection two minutes ago', 'another usage', 'a rule by load', 'a rule in turns'];
    const names = ['a busy pool', 'a rule without failover', ...order, ...later, 'a connection by the rule'];
    await assertValid(await startFleet(), names);
  });

  it('is never that of another list, in any order of changes', { timeout: 300_000 }, async () => {
    const names = fc.array(fc.constantFrom(...Object.keys(changes)), { minLength: 12, maxLength: 12 });
    const law = fc.asyncProperty(names, async (some) => {
      await setFresh(15);
      await assertValid(await startFleet(), some);
    });
    await fc.assert(law, { numRuns: 6, endOnFailure: true });
  });
});

describe('a conditional request for a list of services', () => {
  it('is 304 in one round trip while nothing changes, and in two if the lists have expired', async () => {
    await setFresh(15);
    const fleet = await startFleet();
    await list(fleet);
    const { etag, headers } = await list(fleet);
    expect(etag).toMatch(/^W\/"[\w-]{22}\.[\w-]{22}"$/);
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('vary')).toContain('x-auth-token');
    const again = async () => {
      const before = world.portal.trips();
      const { status, body, etag: tag } = await list(fleet, etag);
      return [status, body, tag, world.portal.trips() - before];
    };
    expect(await again()).toEqual([304, '', etag, 1]);
    await ageLists(world, fleet.member, 20);
    expect(await again()).toEqual([304, '', etag, 2]);
    expect(await again()).toEqual([304, '', etag, 1]);
  });

  it('reads no services that the client has, or that are read from the dispatchers again', async () => {
    await setFresh(15);
    const fleet = await startFleet();
    const { etag } = await list(fleet);
    const read = async (lists: NeededLists) => {
      const { user } = fleet.member;
      const who = { userId: user.id, domainId: world.domain.id };
      const target = { rules: 'all', unusable: false } as const;
      const routing = { userKey: '', target, lists };
      const found = await findUserSite(db(), { uri: fleet.site.uri, who, held: 0, routing });
      return found?.routing?.lists.map(({ services }) => services?.length ?? null);
    };
    const held = heldLists(etag ?? '');
    const [past, future] = ['-infinity', new Date(Date.now() + 60_000).toISOString()];
    expect(await read({ held: '', calledUntil: past })).toEqual([2, 2]);
    expect(await read({ held, calledUntil: past })).toEqual([null, null]);
    expect(await read({ held: '', calledUntil: future })).toEqual([null, null]);
    await changes['an open circuit']?.(fleet);
    const rest = await read({ held: '', calledUntil: future });
    expect(rest?.toSorted()).toEqual([2, null]);
  });

  it('is never 304 with an explanation', async () => {
    const fleet = await startFleet();
    const { etag = '' } = await list(fleet);
    const answer = await admin(`${pathOf(fleet)}?explain=true&user_id=${fleet.member.user.id}`, undefined, {
      'if-none-match': etag,
    });
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, null]);
  });
});

describe('the revision of cached services', () => {
  it('is the same in the database and in the portal, for any text', { timeout: 60_000 }, async () => {
    const { member, east } = await startFleet();
    const key = { user_id: member.user.id, farm_id: east.farm.id };
    const text = fc.string({ unit: 'binary', maxLength: 20 }).filter((one) => !one.includes('\0'));
    const nasty = fc.constantFrom('\\', '\\x41', '"\\"', '\u001f\u007f\u2028', '\b\f\n\r\t', '😀é');
    const service = fc.record(
      {
        uuid: text,
        name: fc.oneof(text, nasty),
        description: nasty,
        protocols: fc.array(text, { maxLength: 2 }),
        state: fc.constant('ready' as const),
        in_use: fc.boolean(),
        maintenance: fc.constantFrom(true, false, null),
        maintenance_message: text,
        sessions: fc.array(fc.record({ session_uuid: text, state: fc.constant('active' as const) })),
      },
      {
        requiredKeys: [
          ...(['uuid', 'name', 'description', 'protocols', 'state', 'in_use'] as const),
          ...(['maintenance', 'sessions'] as const),
        ],
      },
    );
    const law = fc.asyncProperty(fc.array(service, { maxLength: 30 }), async (services) => {
      await db().delete(serviceLists).where(eq(serviceLists.user_id, member.user.id));
      const row = { ...key, subject: '', entitlement: 0, fetched_at: new Date(), services };
      const [stored] = await db().insert(serviceLists).values(row).returning();
      expect(stored?.revision).toBe(revisionOf(services));
    });
    await fc.assert(law, { numRuns: 8 });
  });
});
