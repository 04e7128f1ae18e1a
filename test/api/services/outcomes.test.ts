import { isNotNull } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dispatcherSessions } from '../../../db/schema/routing/dispatcher-sessions.ts';
import { systemParameters } from '../../../db/schema/settings/system-parameters.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { serviceLists } from '../../../db/schema/snapshot/service-lists.ts';
import { gapsIn, refusedAt } from '../../../functions/home/app/services/cards.ts';
import {
  addMember,
  addNode,
  create,
  type Member,
  pool,
  rulesPath,
  type SimulatedNode,
  unique,
  useWorld,
} from '../../support/factories.ts';
import { ageLists, type FarmWithNode, memberOf, siteWithFarms } from '../../support/fleet/rules.ts';
import type { Json } from '../../support/portal.ts';
import { commitNumber, isThorough } from '../../support/runner/commit.ts';

const world = useWorld();
const db = () => world.portal.db;
const names = ['East', 'West'];
let site: Json;
let rule: Json;
let member: Member;
let farms: (FarmWithNode & { nodes: SimulatedNode[] })[] = [];

beforeAll(async () => {
  member = await addMember(world, []);
  const made = await siteWithFarms(
    world,
    names.map((name) => ({ pools: [pool(name)] })),
  );
  site = made.site;
  farms = await Promise.all(
    made.farms.map(async (at) => {
      const { state } = at.node.simulator;
      const second = await addNode(world, at.farm, { state, dispatcher: { priority: 2 } });
      return { ...at, nodes: [at.node, second] };
    }),
  );
  const places = farms.map((at) => memberOf(at, at.node.simulator.state.pools.all()[0]?.name ?? ''));
  rule = await create(world.admin, rulesPath, { name: unique('rule'), site_id: site.id, members: places });
  const value = { name: 'aggregator.list_deadline_ms', value: 20_000, updated_at: new Date() };
  await db().insert(systemParameters).values(value);
});
afterAll(() => Promise.all(farms.flatMap(({ nodes }) => nodes.map(({ simulator }) => simulator.close()))));

/** What a node does for the user, and what follows for its farm. */
type NodeOutcome = 'answers' | 'refuses' | 'fails';
type FarmOutcome = 'answered' | 'refused' | 'silent';
type Round = readonly NodeOutcome[][];

const farmOutcome = (nodes: readonly NodeOutcome[]): FarmOutcome => {
  if (nodes.includes('answers')) return 'answered';
  return nodes.includes('refuses') ? 'refused' : 'silent';
};
const isListed = (before: FarmOutcome | undefined, now: FarmOutcome): boolean =>
  now === 'answered' || (now === 'silent' && before === 'answered');

type Nodes = [NodeOutcome, NodeOutcome];
const any: NodeOutcome[] = ['answers', 'refuses', 'fails'];
/** Each outcome of a farm is equally frequent. */
const nodes = fc.oneof(
  fc.constantFrom(
    ...any.flatMap((other): Nodes[] => [
      ['answers', other],
      [other, 'answers'],
    ]),
  ),
  fc.constantFrom<Nodes>(['refuses', 'refuses'], ['refuses', 'fails'], ['fails', 'refuses']),
  fc.constant<Nodes>(['fails', 'fails']),
);
const round = fc.tuple(nodes, nodes);
type Rounds = [[Nodes, Nodes], [Nodes, Nodes]];
/** A refusal and an old list before a farm does not respond. */
const silentLater: Rounds = [
  [
    ['refuses', 'fails'],
    ['answers', 'fails'],
  ],
  [
    ['fails', 'fails'],
    ['fails', 'fails'],
  ],
];

async function play(outcomes: Round): Promise<Json> {
  for (const [at, { nodes }] of farms.entries())
    for (const [n, { simulator }] of nodes.entries())
      Object.assign(simulator.knobs, {
        failing: outcomes[at]?.[n] === 'fails' ? 500 : null,
        unknownUsers: outcomes[at]?.[n] === 'refuses' ? [member.user.name] : [],
      });
  await db().delete(dispatcherSessions).where(isNotNull(dispatcherSessions.user_id));
  await db().update(dispatchers).set({ circuit: 'closed', circuit_failures: 0 });
  const answer = await member.ask(`GET /aggregator/api/client/v7.0/${site.uri}/servicesList/`);
  await world.portal.settled();
  return answer;
}

const stateOf = (sites: readonly Json[], { farm }: FarmWithNode) =>
  sites.find(({ farm_id }) => farm_id === farm.id) ?? {};

async function expectViews({ status, body }: Json, before: FarmOutcome[], now: FarmOutcome[]): Promise<void> {
  const listed = now.map((outcome, at) => isListed(before[at], outcome));
  const isAnswer = now.some((outcome, at) => outcome === 'refused' || listed[at]);
  expect(status).toBe(isAnswer ? 200 : 503);
  if (isAnswer) {
    expect(body.services.flatMap(({ members = 1 }: Json) => members)).toEqual(
      listed.some(Boolean) ? [listed.filter(Boolean).length] : [],
    );
    const named = (which: FarmOutcome) =>
      farms
        .filter((_, at) => now[at] === which)
        .map(({ farm }) => farm.name)
        .sort();
    const shown = (found: readonly string[]) => {
      if (!found.includes('Site')) return found.map((one) => one.replace(/^Site \((.+)\)$/, '$1')).sort();
      return farms.map(({ farm }) => farm.name).sort();
    };
    const about = { id: site.id, uri: site.uri, name: 'Site' };
    expect(shown(refusedAt(about, body.sites))).toEqual(named('refused'));
    expect(shown(gapsIn(about, body.sites).map(({ name }) => name))).toEqual(named('silent'));
  }
  for (const [at, farm] of farms.entries()) {
    const { status: state, refusal = null } = stateOf(body.sites, farm);
    expect(state).toBe(now[at] !== 'silent' ? 'ok' : listed[at] ? 'stale' : 'error');
    expect(refusal).toEqual(now[at] === 'refused' ? { reason: null } : null);
  }
}

/** The views of administrators come from the cache. */
async function expectExplained(now: FarmOutcome[], before: FarmOutcome[]): Promise<void> {
  const { body } = await world.admin(`GET ${rulesPath}/${rule.id}/explain?user_id=${member.user.id}`);
  const rows = await db().select().from(serviceLists);
  for (const [at, { farm }] of farms.entries()) {
    const one = body.members.find(({ farm_id }: Json) => farm_id === farm.id);
    const isRefused = now[at] === 'refused';
    // The last answer of a farm is kept while it does not respond, but a refusal counts for the freshness only.
    const last = now[at] === 'silent' ? before[at] : now[at];
    expect(one.refusal).toBe(last === 'refused' ? 'unknown' : null);
    expect(one.obstacles.some(({ reason }: Json) => reason === 'not_known_here')).toBe(isRefused);
    const row = rows.find(({ farm_id }) => farm_id === farm.id);
    expect([row?.refusal ?? null, row?.services.length ?? 0]).toEqual(
      last === 'answered' ? [null, 1] : [last === 'refused' ? 'unknown' : null, 0],
    );
  }
}

async function expectCircuits(outcomes: Round): Promise<void> {
  const rows = await db().select().from(dispatchers);
  for (const [at, { nodes }] of farms.entries())
    for (const [n, { dispatcher }] of nodes.entries()) {
      const failures = rows.find(({ id }) => id === dispatcher.id)?.circuit_failures;
      if (outcomes[at]?.[n] !== 'fails') expect(failures).toBe(0);
    }
}

it('all views agree on whether a farm has answered, refuses the user or does not answer', async () => {
  await fc.assert(
    fc.asyncProperty(round, round, async (first, second) => {
      await world.portal.settled();
      await db().delete(serviceLists);
      const [before, now] = [first.map(farmOutcome), second.map(farmOutcome)];
      await expectViews(await play(first), [], before);
      await expectExplained(before, []);
      await expectCircuits(first);
      await ageLists(world, member, 60);
      await expectViews(await play(second), before, now);
      await expectExplained(now, before);
      await expectCircuits(second);
    }),
    { numRuns: isThorough ? 40 : 12, seed: commitNumber(), examples: [silentLater] },
  );
}, 120_000);
