import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { engineOf, withoutTimers } from './engine.ts';
import { createSessions, type Sessions } from './protocol/sessions.ts';
import { prepareRoles } from './roles.ts';

/** The worker data of `embedded-database.ts`. */
export type WorkerOptions = {
  cluster: string;
  /** A file that exists when the cluster is complete. */
  complete: string;
  socket: string;
};

const options: WorkerOptions = workerData;

// Without relaxedDurability every commit is written before it is acknowledged.
const database = await PGlite.create({
  dataDir: options.cluster,
  extensions: { pg_trgm, withoutTimers },
  relaxedDurability: false,
});
writeFileSync(options.complete, '', { mode: 0o600 });

await prepareRoles(database);
const sessions = await createSessions(await engineOf(database));
const server = createServer((socket) => sessions.accept(socket));
server.listen(options.socket, () => {
  chmodSync(options.socket, 0o600);
  parentPort?.postMessage('ready');
});
const maintenance = startMaintenance(sessions);

parentPort?.once('message', async () => {
  clearInterval(maintenance);
  server.close();
  await sessions.stop();
  await database.close();
  process.exit(0);
});

/**
 * PGlite has neither a checkpointer nor autovacuum; without these statements its log and tables grow without limit.
 */
function startMaintenance(sessions: Sessions): NodeJS.Timeout {
  let rounds = 0;
  const next = () => sessions.run(++rounds % 12 === 0 ? 'vacuum analyze' : 'checkpoint');
  return setInterval(next, 300_000).unref();
}
