import { z } from 'zod';
import { databaseFacts } from '../../../db/repositories/monitoring/node-info.ts';
import { build, version } from '../../../shared/kernel/version.ts';
import { Moment } from '../../../shared/shapes/fields.ts';
import { base, endpoint, type WebuiCtx } from '../deps.ts';

const NodeInfo = z.strictObject({
  name: z.string().describe('Name of the host.'),
  version: z.string().describe('Version of the portal.'),
  build: z.string().describe('Build of the portal.'),
  portal_type: z
    .enum(['admin', 'user', 'universal'])
    .describe('`admin`: administrator portal; `user`: user portal; `universal`: both.'),
  runtime: z
    .enum(['node', 'workers', 'lambda'])
    .describe(
      'Platform that runs the portal: `node` (Node.js), `workers` (Cloudflare Workers) or `lambda` (AWS Lambda).',
    ),
  os: z.string().describe('Operating system of the host.'),
  uptime_s: z.int().describe('Seconds since the process or isolate started.'),
  time: Moment.describe('Current time of the host.'),
  timezone: z.string().describe('Time zone of the host (IANA name).'),
  database: z
    .strictObject({
      kind: z
        .enum(['postgresql', 'embedded'])
        .describe('`postgresql`: a server; `embedded`: PostgreSQL within the process.'),
      version: z.string().describe('Version of PostgreSQL.'),
      latency_ms: z.number().describe('Duration of one query in milliseconds.'),
    })
    .describe('The database of the portal.'),
  jobs: z
    .strictObject({
      workers: z.int().describe('Number of job workers that reported in the last 15 seconds.'),
      last_run_at: Moment.nullable().describe('When a job last ran. Null before the first.'),
    })
    .describe('The background jobs.'),
});

export const nodeInfoOperations = [
  endpoint(
    {
      id: 'nodeInfo.get',
      route: `GET ${base}/node-info`,
      access: 'dashboard.read',
      summary: 'Get information about the answering portal process',
      returns: [200, NodeInfo],
    },
    describeNode,
  ),
];

/** Seconds after its last heartbeat for which a worker is considered running: three heartbeat intervals. */
const workerTimeoutS = 15;

async function describeNode({ deps, now }: WebuiCtx): Promise<z.input<typeof NodeInfo>> {
  const { name, runtime, os, startedAt } = deps.host;
  const queriedAt = performance.now();
  const { about, version: server, workers, lastRunAt } = await databaseFacts(deps.db, workerTimeoutS);
  const latency = performance.now() - queriedAt;
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
