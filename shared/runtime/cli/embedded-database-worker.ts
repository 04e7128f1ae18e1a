import { Buffer } from 'node:buffer';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { startup } from './postgres-messages.ts';
import { createSessions, type Sessions } from './postgres-sessions.ts';
import type { Engine } from './postgres-turns.ts';

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
  extensions: { pg_trgm },
  relaxedDurability: false,
});
writeFileSync(options.complete, '', { mode: 0o600 });

const engine = await engineOf(database);
const sessions = createSessions(engine);
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

async function engineOf(database: PGlite): Promise<Engine> {
  const execute = async (message: Buffer): Promise<Buffer> => {
    const answer: Buffer[] = [];
    // The bytes are a view into the engine's memory, so they are copied at once.
    await database.execProtocolRawStream(message, { onRawData: (bytes) => answer.push(Buffer.from(bytes)) });
    return Buffer.concat(answer);
  };
  return { greeting: await execute(startup()), execute, isInTransaction: () => database.isInTransaction() };
}

/** PGlite has neither checkpointer nor autovacuum: unattended, its log and its tables only grow. */
function keepHouse({ run }: Sessions): NodeJS.Timeout {
  let rounds = 0;
  return setInterval(() => run(++rounds % 12 === 0 ? 'vacuum analyze' : 'checkpoint'), 300_000).unref();
}
