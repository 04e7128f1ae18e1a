import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { engineOf, withoutTimers } from './embedded-engine.ts';
import { prepareRoles } from './embedded-roles.ts';
import { createSessions, type Sessions } from './postgres-sessions.ts';

/** What `embedded-database.ts` hands over. */
export type WorkerOptions = {
  cluster: string;
  /** Written when the cluster has been made completely. */
  complete: string;
  socket: string;
};

const options: WorkerOptions = workerData;

// relaxedDurability stays off: every commit is in the files before it is acknowledged.
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
const keeper = keepHouse(sessions);

parentPort?.once('message', async () => {
  clearInterval(keeper);
  server.close();
  await sessions.stop();
  await database.close();
  process.exit(0);
});

/** PGlite has neither checkpointer nor autovacuum: unattended, its log and its tables only grow. */
function keepHouse(sessions: Sessions): NodeJS.Timeout {
  let rounds = 0;
  const next = () => sessions.run(++rounds % 12 === 0 ? 'vacuum analyze' : 'checkpoint');
  return setInterval(next, 300_000).unref();
}
