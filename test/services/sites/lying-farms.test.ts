import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { and, eq, inArray, like } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { farmParts } from '../../../db/schema/snapshot/farm-parts.ts';
import { workplaces } from '../../../db/schema/snapshot/workplaces.ts';
import { createSigningKeys } from '../../../shared/access/signing-keys.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { createAuthority } from '../../simulator/authority.ts';
import { createDispatcherState, type PoolSeed } from '../../simulator/data/seed.ts';
import type { Knobs } from '../../simulator/faults.ts';
import { type Simulator, startSimulator } from '../../simulator/start.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { partOf } from '../../support/fleet/snapshot.ts';
import { addDispatcher, addFarm, addSite } from '../../support/installation.ts';
import { type Sidecar, signingKey, startSidecar } from '../../support/processes/sidecar-process.ts';

const issuer = 'https://localhost:8443';
/** 300,000 is the maximum of a farm: `LYING_FARMS_ROWS=300000` reads them all, in about a minute and a half. */
const rows = Number(process.env.LYING_FARMS_ROWS || 30_000);
const pool: PoolSeed = { name: 'Office', protocols: ['rdp'], workplaces: 3, entitled: 'all' };
const lists = '/api/webui/';

/** Sixteen faults, at the first call or only where rows are read. */
const lies: Partial<Knobs>[] = [
  { hang: 'headers' },
  { hang: 'headers' },
  { hang: 'headers', path: lists },
  { hang: 'headers', path: lists },
  { hang: 'body' },
  { hang: 'body', path: lists },
  { dripping: true },
  { dripping: true, path: lists },
  { dripping: true, path: lists },
  { lies: 'huge', path: lists },
  { lies: 'huge', path: lists },
  { lies: 'gzip_bomb', path: lists },
  { lies: 'half_json', path: lists },
  { cursors: 'same' },
  { cursors: 'empty' },
  { cursors: 'endless' },
];

let database: FreshDatabase;
let connection: Connection;
let folder: string;
let sidecar: Sidecar | undefined;
const simulators: Simulator[] = [];
let big: string;
const liars: string[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  connection = connectPg({ url: database.url, maxConnections: 2 });
  folder = await mkdtemp(join(tmpdir(), 'aggregator-lying-farms-'));
  const authority = await createAuthority();
  const { jwks } = await createSigningKeys([signingKey], issuer);
  const site = await addSite(connection.db);
  const farm = async (size: number, knobs: Partial<Knobs>): Promise<string> => {
    const state = createDispatcherState({
      name: `node-${newId()}`,
      domains: [],
      pools: [{ ...pool, workplaces: size }],
    });
    const simulator = await startSimulator({ state, issuer, authority, knobs, jwks: async () => jwks });
    simulators.push(simulator);
    const id = await addFarm(connection.db, site.id);
    const { name, url, caPem: ca_certificate } = simulator;
    await addDispatcher(connection.db, id, { name, url, ca_certificate });
    return id;
  };
  for (const knobs of lies) liars.push(await farm(3, knobs));
  // Last in the order in which farms are read for the first time.
  big = await farm(rows, {});
}, 120_000);
afterAll(async () => {
  await sidecar?.stop();
  await Promise.all(simulators.map((simulator) => simulator.close()));
  await connection?.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

const patient = { timeout: 240_000, interval: 250 };
/** Of this sidecar alone: about 340 MB without a farm, and 450 MB with these. */
const mostMemoryKb = 900_000;

const failingLiars = async (): Promise<number> => {
  const failed = await connection.db
    .selectDistinct({ farm: farmParts.farm_id })
    .from(farmParts)
    .where(and(inArray(farmParts.farm_id, liars), like(farmParts.error, 'upstream_%')));
  return failed.length;
};

describe('a large farm', () => {
  it('is read beside sixteen farms that hang, drip, send gigabytes or never end', async () => {
    sidecar = await startSidecar({ databaseUrl: database.sidecarUrl, folder }, { BASE_URL: issuer });
    const part = () => partOf(connection.db, { id: big }, 'workplaces');
    const read = { fetched_at: expect.any(Date), error: null, sync_id: null };
    await expect.poll(part, patient).toMatchObject(read);
    expect(await connection.db.$count(workplaces, eq(workplaces.farm_id, big))).toBe(rows);
    await expect.poll(failingLiars, patient).toBe(lies.length);
    expect(await connection.db.$count(workplaces)).toBe(rows);
    const [, mostKb] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${sidecar.pid}/status`, 'utf8')) ?? [];
    expect(Number(mostKb)).toBeLessThan(mostMemoryKb);
  }, 600_000);
});
