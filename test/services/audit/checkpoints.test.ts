import { asc, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pgFault } from '../../../db/errors.ts';
import { sealAudit } from '../../../db/repositories/audit/chain.ts';
import { moveForward } from '../../../db/repositories/audit/forwards.ts';
import { auditCheckpoints } from '../../../db/schema/audit/checkpoints.ts';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { auditForwards } from '../../../db/schema/audit/forwards.ts';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { auditRetention } from '../../../functions/health/jobs/audit/retention.ts';
import { sealJob } from '../../../functions/health/jobs/audit/sealing.ts';
import type { JobRun } from '../../../functions/health/jobs/queue/queue.ts';
import type { SigningKeys } from '../../../shared/access/signing-keys.ts';
import { signBase } from '../../../shared/audit/checkpoints.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import { auditEntry, emptyAudit, sealAll, withoutAuditTriggers } from '../../support/audit/audit.ts';
import { base } from '../../support/factories.ts';
import { newSigningKey, signingKeysOf } from '../../support/identity/signing-keys.ts';
import { adminPassword, startPortal, type TestPortal } from '../../support/portal.ts';

const hourMs = 3_600_000;
const never = new AbortController().signal;

let portal: TestPortal;
let token: string;
let keys: SigningKeys;
let now: Date;

beforeAll(async () => {
  portal = await startPortal();
  keys = portal.deps.signingKeys;
  token = await portal.login('admin', adminPassword);
});
beforeEach(async () => {
  await emptyAudit(portal.ownerDb);
  now = new Date();
});
afterAll(() => portal.close());

/** Sealed events from this many days ago. */
async function write(count: number, daysAgo = 0): Promise<void> {
  const at = (n: number) => new Date(Date.now() - daysAgo * 86_400_000 + n);
  const rows = Array.from({ length: count }, (_, n) => auditEntry(n, { at: at(n) }));
  for (let from = 0; from < count; from += 1_000)
    await portal.db.insert(auditEvents).values(rows.slice(from, from + 1_000));
}

const sealBy = (own: SigningKeys) => sealJob(portal.sidecarDb, own, () => now).round(never);
const seal = () => sealBy(keys);
const checkpoints = () => portal.db.select().from(auditCheckpoints).orderBy(asc(auditCheckpoints.seq));
const verify = async (query = '') => {
  const { status, body } = await portal.send(`GET ${base}/audit/verify${query}`, { token });
  expect(status).toBe(200);
  return body;
};
const good = (to: number) => ({ ok: true, checked: to, sealed_to: to });

/** Changes that only the owner of the tables can make. */
const tamper = (...statements: string[]): Promise<void> =>
  withoutAuditTriggers(portal.ownerDb, (h) => statements.map((statement) => h.execute(sql.raw(statement))));
/** Recomputes the whole chain, so that it is consistent again. */
const resealed = [
  `update audit_events set seq = null, prev_hash = null, hash = null, sealed_text = null`,
  `update audit_head set seq = 0, hash = repeat('0', 64)`,
];
/** Moves the head to the current end of the chain. */
const cutHead = `update audit_head h set seq = e.seq, hash = e.hash
  from (select seq, hash from audit_events order by seq desc limit 1) e`;

describe('the verification of the audit', () => {
  beforeEach(async () => {
    await write(10);
    await seal();
  });

  it('finds no error in an unchanged audit', async () => {
    expect(await checkpoints()).toHaveLength(1);
    expect(await verify()).toEqual(good(10));
  });

  it('finds an edited event, a deleted one, and two swapped ones', async () => {
    await tamper(`update audit_events set message = 'another' where seq = 4`);
    expect(await verify()).toMatchObject({ ok: false, first_bad: 4 });
    await tamper(`delete from audit_events where seq = 3`);
    expect(await verify()).toMatchObject({ ok: false, first_bad: 3 });
    await tamper(
      `update audit_events set seq = -1 where seq = 1`,
      `update audit_events set seq = 1 where seq = 2`,
      `update audit_events set seq = 2 where seq = -1`,
    );
    expect(await verify()).toMatchObject({ ok: false, first_bad: 1 });
  });

  it('finds a truncated end, even with the head moved back', async () => {
    await tamper(`delete from audit_events where seq > 7`, cutHead);
    expect(await verify()).toEqual({ ok: false, checked: 7, sealed_to: 10, first_bad: 8 });
    expect(await verify('?from=1&to=7')).toMatchObject({ ok: true, checked: 7 });
    await tamper(`delete from audit_events`, `update audit_head set seq = 0, hash = repeat('0', 64)`);
    expect(await verify()).toMatchObject({ ok: false, first_bad: 1 });
  });

  it('finds a truncated end that was filled again', async () => {
    await tamper(`delete from audit_events where seq > 7`, cutHead);
    await write(5);
    await sealAll(portal.sidecarDb);
    expect(await verify()).toMatchObject({ ok: false, first_bad: 10 });
  });

  it('finds a chain that was changed and sealed again as a whole', async () => {
    await tamper(`update audit_events set message = 'another' where seq = 2`, ...resealed);
    await sealAll(portal.sidecarDb);
    expect(await verify()).toMatchObject({ ok: false, first_bad: 10 });
  });

  it('rejects a checkpoint that was forged to match', async () => {
    await tamper(`update audit_events set message = 'another' where seq = 2`, ...resealed);
    await sealAll(portal.sidecarDb);
    const fitting = `update audit_checkpoints c set hash = e.hash from audit_events e where e.seq = c.seq`;
    await tamper(fitting);
    expect(await verify()).toMatchObject({ ok: false, first_bad: 10 });
    const [checkpoint] = await checkpoints();
    const claims = { sub: 'aggregator' };
    const jwt = await keys.signFor('north', claims, now, 60);
    await tamper(`update audit_checkpoints set jws = '${jwt}'`);
    expect(await verify()).toMatchObject({ ok: false, first_bad: 10 });
    const { seq, hash, base_seq, base_hash } = checkpoint ?? {};
    const own = await keys.signText('another+json', JSON.stringify({ seq, hash, base_seq, base_hash }));
    await tamper(`update audit_checkpoints set jws = '${own}'`);
    expect(await verify()).toMatchObject({ ok: false, first_bad: 10 });
  });

  it('signs no checkpoint on top of a broken one, and reports it once', async () => {
    await tamper(`update audit_checkpoints set base_seq = 4, base_hash = hash`);
    now = new Date(now.getTime() + 2 * hourMs);
    await write(1);
    await seal();
    await seal();
    expect(await checkpoints()).toHaveLength(1);
    expect(await verify()).toMatchObject({ ok: false, sealed_to: 11 });
    const records = await portal.db.select({ code: monitoringRecords.code }).from(monitoringRecords);
    expect(records).toEqual([{ code: 'audit_checkpoint_broken' }]);
  });
});

describe('a checkpoint of the audit', () => {
  it('is due an hour after the last one if there are new events, and not before', async () => {
    await seal();
    expect(await checkpoints()).toEqual([]);
    await write(3);
    await seal();
    await write(3);
    await seal();
    expect((await checkpoints()).map(({ seq }) => seq)).toEqual([3]);
    now = new Date(now.getTime() + hourMs);
    await seal();
    now = new Date(now.getTime() + hourMs);
    await seal();
    expect((await checkpoints()).map(({ seq }) => seq)).toEqual([3, 6]);
  });

  it('is written after 10,000 events at the latest, however many are sealed at once', async () => {
    await write(11_000);
    await seal();
    const seqs = (await checkpoints()).map(({ seq }) => seq);
    expect(seqs.length).toBeGreaterThanOrEqual(2);
    for (const [at, seq] of [...seqs, 11_000].entries())
      expect(seq - (seqs[at - 1] ?? 0)).toBeLessThanOrEqual(10_000);
    expect(await verify()).toEqual(good(11_000));
  }, 60_000);

  it('is signed at once by a new key, and the old ones are valid while the former key is configured', async () => {
    await write(2);
    await seal();
    const former = keys.kid;
    const later = await signingKeysOf(newSigningKey());
    const both = { ...later, jwks: { keys: [...later.jwks.keys, ...keys.jwks.keys] } };
    await sealBy(both);
    expect((await checkpoints()).map(({ seq, kid }) => [seq, kid]).sort()).toEqual(
      [
        [2, former],
        [2, later.kid],
      ].sort(),
    );
    await sealBy(both);
    expect(await checkpoints()).toHaveLength(2);
  });

  it('can be neither changed nor deleted', async () => {
    await write(1);
    await seal();
    const kept = await checkpoints();
    const roles = [
      { db: portal.ownerDb, refusal: 'AG002' },
      { db: portal.sidecarDb, refusal: '42501' },
      { db: portal.db, refusal: '42501' },
    ];
    for (const statement of [
      `update audit_checkpoints set at = at`,
      `delete from audit_checkpoints`,
      `truncate audit_checkpoints`,
    ]) {
      for (const { db, refusal } of roles) {
        const state = await db.execute(sql.raw(statement)).then(
          () => undefined,
          (error) => pgFault(error)?.code,
        );
        expect([statement, state]).toEqual([statement, refusal]);
      }
    }
    expect(await checkpoints()).toEqual(kept);
  });

  it('is signed by two concurrent sealers without a fork of the chain', async () => {
    await write(1_200);
    await Promise.all([seal(), seal(), sealAudit(portal.sidecarDb, 100)]);
    expect(await verify()).toEqual(good(1_200));
  });
});

describe('the retention of the audit', () => {
  const parameters = async () => ({ ...parametersFrom(null), 'audit.retention_days': 30 });
  const retain = (signal = never, collectors: Parameters<typeof auditRetention>[4] = []) =>
    auditRetention(portal.sidecarDb, keys, () => now, parameters, collectors).work({}, {
      id: '',
      kind: 'audit-retention',
      attempt: 0,
      signal,
    } satisfies JobRun);
  const kept = async () =>
    (await portal.db.select({ seq: auditEvents.seq }).from(auditEvents).orderBy(asc(auditEvents.seq))).map(
      ({ seq }) => seq,
    );

  beforeEach(async () => {
    await write(4, 40);
    await seal();
    await write(3, 1);
    await seal();
  });

  it('deletes the expired beginning, and the rest is verifiable as before', async () => {
    await retain();
    expect(await kept()).toEqual([5, 6, 7]);
    expect(await verify()).toEqual(good(7));
    expect(await verify('?from=3&to=4')).toEqual({ ok: true, checked: 2, sealed_to: 7 });
    expect(await verify('?from=5')).toEqual({ ok: true, checked: 3, sealed_to: 7 });
    await retain();
    expect(await kept()).toEqual([5, 6, 7]);
    await write(2);
    await seal();
    expect(await verify()).toEqual(good(9));
  });

  it('keeps an old event behind a young one, and unsealed events', async () => {
    await write(2, 40);
    await seal();
    await portal.db.insert(auditEvents).values(auditEntry(0));
    await retain();
    expect(await kept()).toEqual([5, 6, 7, 8, 9, null]);
    expect(await verify()).toEqual(good(9));
  });

  it('keeps events that a collector has not received, however old they are', async () => {
    const { sidecarDb: db } = portal;
    await retain(never, ['fluentd', 'syslog']);
    expect(await kept()).toHaveLength(7);
    expect(await moveForward(db, 'fluentd', 0, 7)).toBe(true);
    await retain(never, ['fluentd', 'syslog']);
    expect(await kept()).toHaveLength(7);
    expect(await moveForward(db, 'syslog', 0, 2)).toBe(true);
    await retain(never, ['fluentd', 'syslog']);
    expect(await kept()).toEqual([3, 4, 5, 6, 7]);
    await retain(never, ['fluentd']);
    expect(await kept()).toEqual([5, 6, 7]);
    expect(await verify()).toEqual(good(7));
    await db.delete(auditForwards);
  });

  it('may delete everything, and the chain continues', async () => {
    await tamper(`update audit_events set at = at - interval '40 days'`, ...resealed);
    await tamper('delete from audit_checkpoints');
    await seal();
    await retain();
    expect(await kept()).toEqual([]);
    expect(await verify()).toEqual(good(7));
    await write(2);
    await seal();
    expect(await verify()).toEqual(good(9));
  });

  it('does not hide a truncated end, a missing beginning or a forged one', async () => {
    await retain();
    await tamper(`delete from audit_events where seq = 7`, cutHead);
    expect(await verify()).toMatchObject({ ok: false, sealed_to: 7, first_bad: 7 });
    await tamper(`delete from audit_events where seq = 5`);
    expect(await verify()).toMatchObject({ ok: false, first_bad: 5 });
    await tamper(`insert into audit_checkpoints select c.seq, c.hash, 6, e.hash, c.at, kid, jws
      from audit_checkpoints c, audit_events e where e.seq = 6 and c.base_seq = 4`);
    expect(await verify()).toMatchObject({ ok: false });
  });

  it('is completed by the next run when it is interrupted after its checkpoint', async () => {
    const fourth = (await portal.db.select().from(auditEvents).orderBy(asc(auditEvents.seq)))[3];
    await signBase({ db: portal.sidecarDb, keys, now }, { seq: 4, hash: fourth?.hash ?? '' });
    expect(await kept()).toHaveLength(7);
    expect(await verify()).toEqual(good(7));
    await expect(retain(AbortSignal.abort())).rejects.toThrow();
    expect(await kept()).toHaveLength(7);
    await retain();
    expect(await kept()).toEqual([5, 6, 7]);
    expect(await verify()).toEqual(good(7));
  });

  it('deletes nothing after a checkpoint with an invalid signature', async () => {
    await tamper(`update audit_checkpoints set hash = repeat('a', 64)`);
    await expect(retain()).rejects.toThrow('not as it was signed');
    expect(await kept()).toHaveLength(7);
  });
});
