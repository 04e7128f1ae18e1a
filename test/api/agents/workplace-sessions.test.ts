import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atomically } from '../../../db/client.ts';
import { removeSession, updateSessionRow } from '../../../db/repositories/snapshot/write-through.ts';
import { openSession } from '../../simulator/data/sessions.ts';
import { addMember, addNode, base, pool, type SimulatedNode, useWorld } from '../../support/factories.ts';
import { syncAll } from '../../support/fleet/snapshot.ts';
import type { Json } from '../../support/portal.ts';

const path = `${base}/spsessions`;
const world = useWorld();
let node: SimulatedNode;

beforeAll(async () => {
  node = await addNode(world, world.farm, { pools: [pool('Office')] });
  const { state } = node.simulator;
  for (const [n, name] of ['Ada', 'Bob', 'Cyd'].entries()) {
    const workplace = state.poolNamed('Office').members[n];
    if (!workplace) throw new Error('no workplace');
    const protocol = n === 1 ? 'spice' : 'rdp';
    const session = openSession(state, workplace, { person: { domain: 'CORP', name }, protocol });
    session.started_at = `2026-01-0${n + 1}T00:00:00.000Z`;
  }
  await syncAll(world.portal, world.farm);
});
afterAll(async () => {
  await node.simulator.close();
});

const list = async (query = ''): Promise<Json> => {
  const { status, body } = await world.admin(`GET ${path}${query}`);
  expect([query, status, body.code]).toEqual([query, 200, undefined]);
  return body;
};
const users = ({ items }: Json) => items.map(({ user }: Json) => user);

describe('the merged list of workplace sessions', () => {
  it('is sorted by start, latest first', async () => {
    const body = await list();
    expect(users(body)).toEqual(['Cyd', 'Bob', 'Ada']);
    expect(users(await list('?sort=started_at'))).toEqual(['Ada', 'Bob', 'Cyd']);
    expect(body.items[2]).toEqual({
      session_uuid: expect.any(String),
      farm_id: world.farm.id,
      farm_name: world.farm.name,
      site_id: world.site.id,
      site_name: world.site.name,
      servicepool_uuid: expect.any(String),
      servicepool_name: 'Office',
      workplace_uuid: expect.any(String),
      workplace_name: expect.stringMatching(/^office-/),
      workplace_ip: expect.stringMatching(/^10\./),
      user: 'Ada',
      domain: 'CORP',
      protocol: 'rdp',
      client_ip: null,
      client_host: null,
      gateway_id: null,
      tunnels: { connections: 0, sent: 0, received: 0 },
      state: 'active',
      started_at: '2026-01-01T00:00:00.000Z',
      last_seen_at: expect.stringMatching(/Z$/),
      fetched_at: body.sites[0].fetched_at,
    });
  });

  it.each([
    ['user=ADA', ['Ada']],
    ['user=corp%5Cada', ['Ada']],
    ['user=other%5Cada', []],
    ['protocol=spice', ['Bob']],
    ['state=disconnected', []],
    ['search=b', ['Bob']],
    ['search=corp', ['Cyd', 'Bob', 'Ada']],
  ])('filters by %s', async (query, expected) => {
    expect(users(await list(`?${query}`))).toEqual(expected);
  });

  it('is paged by start', async () => {
    const first = await list('?limit=2');
    expect(users(await list(`?limit=2&cursor=${first.next}`))).toEqual(['Ada']);
  });

  it('shows at once which sessions an action of the portal changed or ended', async () => {
    const { db } = world.portal;
    const [{ session_uuid }] = (await list('?user=bob')).items;
    const seen = '2026-02-01T00:00:00.000Z';
    await updateSessionRow(db, world.farm.id, session_uuid, { state: 'disconnected', last_seen_at: seen });
    expect((await list('?user=bob')).items).toMatchObject([{ state: 'disconnected', last_seen_at: seen }]);
    await atomically(db, (h) => removeSession(h, world.farm.id, session_uuid));
    expect((await list('?user=bob')).items).toEqual([]);
  });

  it('needs the permission to read sessions', async () => {
    const { ask } = await addMember(world, ['workplaces.read']);
    expect((await ask(`GET ${path}`)).status).toBe(403);
  });
});
