import { connectPg } from '../../../db/pg.ts';
import { forwardJobs } from '../../../functions/health/jobs/audit/forwarding.ts';
import { onLeader } from '../../../functions/health/jobs/process/lease.ts';
import { runEvery } from '../../../functions/health/jobs/process/loop.ts';
import { createLog } from '../../../shared/runtime/log.ts';
import { competeForLease } from './leader.ts';

/** A sidecar's forwarding as a process that can be killed, configured as a sidecar is. */
const { DATABASE_URL = '', FLUENTD_URL, FLUENTD_SHARED_KEY, SYSLOG_URL } = process.env;
const { db } = connectPg({ url: DATABASE_URL, maxConnections: 2 });
const log = createLog({ level: 'error' });
const urls = { fluentdUrl: FLUENTD_URL, fluentdSharedKey: FLUENTD_SHARED_KEY, syslogUrl: SYSLOG_URL };
const lease = competeForLease(db, String(process.pid), log);
process.stdout.write('ready\n');
await Promise.all(
  forwardJobs(db, urls, 'portal-1', log).map((job) =>
    runEvery(onLeader(lease, job), log, new AbortController().signal),
  ),
);
