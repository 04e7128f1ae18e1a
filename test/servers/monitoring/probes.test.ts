import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { systemParameters } from '../../../db/schema/settings/system-parameters.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { farms } from '../../../db/schema/sites/farms.ts';
import { sites } from '../../../db/schema/sites/sites.ts';
import { createSealer } from '../../../shared/kernel/crypto/sealing.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { ensureLocalTls } from '../../../shared/tooling/start/tls/local-tls.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { type ProbeFleet, startProbeFleet } from '../../support/fleet/probe-fleet.ts';
import { accessKeys, askOver, checkPath, token } from '../../support/monitoring/health-port.ts';
import { type Sidecar, secretKey, startSidecar } from '../../support/processes/sidecar-process.ts';

const intervalS = 5;
/**
 * As many real handshakes as a busy machine makes within the interval: nodes that answer late for lack of a processor would be shown as
 * failing. `unit/health/probe-simulation` has 500 nodes in virtual time.
 */
const count = 150;
const hanging = Array.from({ length: 60 }, (_, n) => n);
const uriOf = (number: number): string => `site-${number}`;
const hangingUris = new Set(hanging.map(uriOf));

let fleet: ProbeFleet;
let database: FreshDatabase;
let admin: Connection;
let folder: string;
let agent: Agent;
let sidecar: Sidecar;

/** Each node is the only one of its site. */
async function register(): Promise<void> {
  const sealer = await createSealer([secretKey]);
  const ids = fleet.urls.map(() => newId());
  const named = ids.map((id, number) => ({ id, name: uriOf(number), name_key: uriOf(number) }));
  await admin.db.insert(sites).values(named.map((row) => ({ ...row, uri: row.name })));
  await admin.db.insert(farms).values(named.map((row) => ({ ...row, site_id: row.id })));
  const rows = named.map(async (row, number) => ({
    ...{ ...row, farm_id: row.id, url: fleet.urls[number] ?? '', ca_certificate: fleet.caPem },
    health_key: await sealer.seal('key', { table: 'dispatchers', row: row.id, column: 'health_key' }),
  }));
  await admin.db.insert(dispatchers).values(await Promise.all(rows));
  const at = new Date();
  await admin.db
    .insert(systemParameters)
    .values({ name: 'aggregator.health_interval_s', value: intervalS, updated_at: at });
}

beforeAll(async () => {
  fleet = await startProbeFleet(count);
  database = await freshDatabase();
  admin = connectPg({ url: database.ownerUrl, maxConnections: 2 });
  folder = await mkdtemp(join(tmpdir(), 'fleet-'));
  const { caFile } = await ensureLocalTls(join(folder, 'tls'), []);
  agent = new Agent({ connect: { ca: readFileSync(caFile, 'utf8') } });
  await register();
  sidecar = await startSidecar({ databaseUrl: database.sidecarUrl, folder });
});
afterAll(async () => {
  await sidecar?.stop();
  await agent?.destroy();
  await admin?.close();
  await database?.drop();
  await fleet?.close();
  await rm(folder, { recursive: true, force: true });
});

type Entry = { componentId: string; state: string };

async function look(): Promise<Map<string, string>> {
  const { text } = await askOver(agent, `${sidecar.url}${checkPath}`, { headers: token(accessKeys.check) });
  const entries: Entry[] = JSON.parse(text).checks['sites:connectionTest'];
  return new Map(entries.map(({ componentId, state }) => [componentId, state]));
}
const states = async (isWanted: (uri: string) => boolean) =>
  [...new Set([...(await look())].flatMap(([uri, state]) => (isWanted(uri) ? [state] : [])))].sort();

const descriptorsOf = (pid: number): number =>
  process.platform === 'linux' ? readdirSync(`/proc/${pid}/fd`).length : 0;

/** Reads the health check until it is stopped. */
function watch() {
  const stopping = new AbortController();
  const failingSince = new Map<string, number>();
  const seen = { longestMs: 0, looks: 0, mostDescriptors: 0 };
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const now = performance.now();
      for (const [uri, state] of await look()) {
        if (state !== 'fail' || hangingUris.has(uri)) failingSince.delete(uri);
        else if (!failingSince.has(uri)) failingSince.set(uri, now);
        seen.longestMs = Math.max(
          seen.longestMs,
          performance.now() - (failingSince.get(uri) ?? performance.now()),
        );
      }
      seen.looks++;
      seen.mostDescriptors = Math.max(seen.mostDescriptors, descriptorsOf(sidecar.pid));
      await delay(200);
    }
  })();
  return async () => {
    stopping.abort();
    await running;
    return seen;
  };
}

describe('the probes of 150 nodes', () => {
  it('no healthy site is shown as failing for longer than an interval while 60 nodes hang, and these recover', async () => {
    const patient = { timeout: 90_000, interval: 500 };
    await expect.poll(() => states(() => true), patient).toEqual(['pass']);
    const end = watch();
    fleet.hang(hanging);
    await expect.poll(() => states((uri) => hangingUris.has(uri)), patient).toEqual(['fail']);
    // Three further intervals, after which results that are not renewed would have expired.
    const hangSince = performance.now();
    await expect.poll(() => performance.now() - hangSince, patient).toBeGreaterThan(3_500 * intervalS);
    fleet.recover(hanging);
    await expect.poll(() => states(() => true), patient).toEqual(['pass']);
    const seen = await end();
    expect(seen.looks).toBeGreaterThan(20);
    expect(seen.longestMs).toBeLessThanOrEqual(intervalS * 1_000);
    expect(seen.mostDescriptors).toBeLessThan(2 * count + 200);
  }, 300_000);
});
