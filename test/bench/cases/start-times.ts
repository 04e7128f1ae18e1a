import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareVariables, freePorts, startPortal } from '../../e2e/support/portal-process.ts';

/** The time of `npm start` on the embedded database: on an empty folder, and on the same folder later. */
export async function measureStarts(): Promise<{ first_ms: number; later_ms: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-starts-'));
  const env = bareVariables(folder, await freePorts(2));
  try {
    const first_ms = await startOnce(env);
    return { first_ms, later_ms: await startOnce(env) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function startOnce(env: NodeJS.ProcessEnv): Promise<number> {
  const { startMs, stop } = await startPortal({ env });
  await stop();
  return startMs;
}
