import { connectPg } from '../../../db/pg.ts';
import { createLease } from '../../../functions/health/jobs/process/lease.ts';
import { runEvery } from '../../../functions/health/jobs/process/loop.ts';
import { createLog } from '../../../shared/runtime/log.ts';

/**
 * Competes for a lease of one second. Writes a line for each check at which it holds it: the time of the machine's
 * monotonic clock before the check, in milliseconds, and the fence. SIGTERM releases it.
 */
const { DATABASE_URL: url = '', AS: holder = '' } = process.env;
const { db } = connectPg({ url, maxConnections: 1, statementTimeoutMs: 1_000 });
const log = createLog({ level: 'error', write: () => undefined });
const stopping = new AbortController();
const times = { lastsS: 1, renewedEveryS: 0.4, triedEveryS: 0.1, staleS: 2 };
const lease = createLease({ db, holder, log, stopping: stopping.signal, times });
void runEvery(lease.job, log, stopping.signal);
setInterval(() => {
  const at = Number(process.hrtime.bigint() / 1_000n) / 1_000;
  const term = lease.term();
  if (term) process.stdout.write(`${at} ${term.fence}\n`);
}, 5);
process.once('SIGTERM', () => {
  stopping.abort();
  void lease.release().finally(() => process.exit(0));
});
