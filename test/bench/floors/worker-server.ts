import { dirname } from 'node:path';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';
import { deploymentOf } from '../../../shared/tooling/deploy/deployments.ts';
import { startNeonProxy } from '../../../shared/tooling/embedded/neon-proxy.ts';
import { tellReady } from '../child-process.ts';

/** `file` is the bundle of the Worker. */
export type WorkerFloorSettings = { databaseUrl: string; file: string };

/** A separate workerd with the floor Worker, started like the modules of the portal. */
const { databaseUrl, file }: WorkerFloorSettings = JSON.parse(process.argv[2] ?? '{}');
const proxy = await startNeonProxy({ databaseUrl });
const { compatibilityDate, compatibilityFlags } = deploymentOf('userinfo');
const worker = {
  name: 'floor',
  compatibilityDate,
  compatibilityFlags,
  modulesRoot: dirname(file),
  modules: [{ type: 'ESModule' as const, path: file }],
  bindings: { SQL_ENDPOINT: `${proxy.url}/sql` },
};
const options = {
  host: '127.0.0.1',
  port: 0,
  cf: false as const,
  log: new Log(LogLevel.ERROR),
  workers: [worker],
};
const miniflare = new Miniflare(convertV4MiniflareOptions(options));
const { origin } = await miniflare.ready;
tellReady({ url: origin });
