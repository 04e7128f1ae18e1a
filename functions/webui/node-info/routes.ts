import { z } from 'zod';
import { databaseFacts } from '../../../db/repositories/node-info.ts';
import { Moment } from '../../../shared/http/fields.ts';
import { build, version } from '../../../shared/kernel/version.ts';
import { base, endpoint, type WebuiCtx } from '../deps.ts';

const NodeInfo = z.strictObject({
  name: z.string(),
  version: z.string(),
  build: z.string(),
  portal_type: z.enum(['admin', 'user', 'universal']),
  runtime: z.enum(['node', 'workers', 'lambda']),
  os: z.string(),
  uptime_s: z.int(),
  time: Moment,
  timezone: z.string(),
  database: z.strictObject({
    kind: z.enum(['postgresql', 'embedded']),
    version: z.string(),
    latency_ms: z.number(),
  }),
  jobs: z.strictObject({ workers: z.int(), last_run_at: Moment.nullable() }),
});

export const nodeInfoOperations = [
  endpoint(
    {
      id: 'nodeInfo.get',
      route: `GET ${base}/node-info`,
      access: 'dashboard.read',
      summary: 'Information about the server',
      returns: [200, NodeInfo],
    },
    describeNode,
  ),
];

/** Seconds after its last sign of life for which a worker counts as alive, three of its beats. */
const workerLivesS = 15;

async function describeNode({ deps, now }: WebuiCtx): Promise<z.input<typeof NodeInfo>> {
  const { name, runtime, os, startedAt } = deps.host;
  const asked = performance.now();
  const { about, version: server, workers, lastRunAt } = await databaseFacts(deps.db, workerLivesS);
  const latency = performance.now() - asked;
  return {
    name,
    version,
    build,
    portal_type: deps.portalType,
    runtime,
    os,
    uptime_s: Math.max(0, Math.floor((now.getTime() - startedAt.getTime()) / 1000)),
    time: now.toISOString(),
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    database: {
      // The embedded engine is PostgreSQL compiled to WebAssembly.
      kind: /emscripten|wasm/i.test(about) ? 'embedded' : 'postgresql',
      version: server.split(' ')[0] ?? server,
      latency_ms: Math.round(latency * 10) / 10,
    },
    jobs: { workers, last_run_at: lastRunAt?.toISOString() ?? null },
  };
}
