import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { connectPg } from '../../../db/pg.ts';
import { createHealthApp } from '../../../functions/health/app.ts';
import type { HealthDeps } from '../../../functions/health/deps.ts';
import { createSystemSampler } from '../../../functions/health/system-sampler.ts';
import { systemClock } from '../../../shared/kernel/clock.ts';
import { createLog } from '../../../shared/runtime/log.ts';
import { serveNode } from '../../../shared/runtime/node/server.ts';
import { monitorWrites } from '../../../shared/runtime/write-monitor.ts';
import { ensureLocalTls } from '../../../shared/tooling/start/tls/local-tls.ts';

export type Answer = { status: number; headers: Record<string, string>; text: string; tookMs: number };
export type Ask = { method?: 'GET' | 'HEAD' | 'POST' | 'OPTIONS'; headers?: Record<string, string> };
export type HealthPort = {
  /** `name:port`, and the authority of its certificate. */
  host: string;
  caFile: string;
  ask(path: string, options?: Ask): Promise<Answer>;
  close(): Promise<void>;
};

export const checkPath = '/aggregator/health/check';
export const metricsPath = '/aggregator/health/metrics';
export const accessKeys = {
  check: 'check-key',
  metrics: 'metrics-key',
  url: 'url-key-of-at-least-32-characters_0',
};
export const urlCheckPath = `${checkPath}/${accessKeys.url}`;
/** The base URL of the error pages. */
export const portalUrl = 'https://portal.example';
export const token = (key: string) => ({ authorization: `Token ${key}` });

/** The endpoints over HTTPS on a free port, with a separate database connection. */
export async function startHealthPort(
  databaseUrl: string,
  given: Partial<HealthDeps> = {},
): Promise<HealthPort> {
  const folder = await mkdtemp(join(tmpdir(), 'health-tls-'));
  const { certPem, keyPem, caFile } = await ensureLocalTls(folder, []);
  const connection = connectPg({ url: databaseUrl, maxConnections: 3, statementTimeoutMs: 2_000 });
  const system = createSystemSampler(() => undefined);
  await system.sample();
  const log = createLog({ write: () => undefined });
  const { db } = connection;
  const writes = monitorWrites(db, log);
  const rest = { isResting: () => false, beforeRest: () => undefined };
  const own = { clock: systemClock, log, accessKeys, baseUrl: portalUrl, system, writes, rest };
  const deps = { db, databaseUrl, ...own, ...given };
  const app = createHealthApp(deps);
  const serving = await serveNode({
    fetch: (request, invocation) => app.fetch(request, invocation),
    errorPages: deps.baseUrl,
    host: '127.0.0.1',
    port: 0,
    tls: { cert: certPem, key: keyPem },
    trustProxy: 0,
    log,
  });
  const agent = new Agent({ connect: { ca: readFileSync(caFile, 'utf8') } });
  return {
    host: `127.0.0.1:${serving.port}`,
    caFile,
    ask: (path, options) => askOver(agent, `https://127.0.0.1:${serving.port}${path}`, options),
    close: async () => {
      await agent.destroy();
      await serving.close(1_000);
      await connection.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** One request with its response as text; header names are lower case. */
export async function askOver(agent: Agent, url: string, options: Ask = {}): Promise<Answer> {
  const startedAt = performance.now();
  const { method = 'GET', headers = {} } = options;
  const answer = await request(url, { dispatcher: agent, method, headers });
  const text = await answer.body.text();
  const pairs = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
  const tookMs = performance.now() - startedAt;
  return { status: answer.statusCode, headers: Object.fromEntries(pairs), text, tookMs };
}
