import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Connection } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { forwardStates } from '../../../db/repositories/audit/forwards.ts';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { auditForwards } from '../../../db/schema/audit/forwards.ts';
import { leases } from '../../../db/schema/jobs/leases.ts';
import { forwarderStates } from '../../../functions/health/forwarder-state.ts';
import { forwardJob, forwardJobs } from '../../../functions/health/jobs/audit/forwarding.ts';
import { escapeControls } from '../../../shared/kernel/text.ts';
import { createFluentdForwarder, createSyslogForwarder } from '../../../shared/remotes/log-forwarder/node.ts';
import { createLog } from '../../../shared/runtime/log.ts';
import { auditEntry, emptyAudit, sealAll } from '../../support/audit/audit.ts';
import { type ForwardPeer, startForwardPeer } from '../../support/audit/forward-peer.ts';
import { hasRsyslog, prepareRsyslog, type Rsyslog } from '../../support/audit/rsyslog.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { expireLease } from '../../support/processes/leader.ts';
import { programVariables } from '../../support/program-variables.ts';
import { requireService } from '../../support/services.ts';

let database: FreshDatabase;
let connection: Connection;
let owner: Connection;
const children: ChildProcess[] = [];
const peers: ForwardPeer[] = [];
const lines: string[] = [];
const log = createLog({ level: 'warn', write: (line) => void lines.push(line) });
const never = new AbortController().signal;

beforeAll(async () => {
  database = await freshDatabase();
  connection = connectPg({ url: database.sidecarUrl, maxConnections: 6 });
  owner = connectPg({ url: database.ownerUrl, maxConnections: 1 });
});
beforeEach(async () => {
  const { db } = connection;
  await emptyAudit(owner.db);
  await db.delete(auditForwards);
  await db.delete(leases);
  lines.length = 0;
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const peer of peers.splice(0)) await peer.stop();
});
afterAll(async () => {
  await Promise.all([connection.close(), owner.close()]);
  await database.drop();
});

/** Sealed events with different messages. */
async function write(count: number, given: Partial<Parameters<typeof auditEntry>[1]> = {}): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => auditEntry(n, given));
  await connection.db.insert(auditEvents).values(rows);
  await sealAll(connection.db);
}

async function peer(...given: Parameters<typeof startForwardPeer>): Promise<ForwardPeer> {
  const started = await startForwardPeer(...given);
  peers.push(started);
  return started;
}

const seqs = ({ received }: ForwardPeer) => received.map(({ record }) => Number(record.seq));
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
const state = async () => (await forwardStates(connection.db))[0];
const round = (url: string) => forwardJob(connection.db, createFluentdForwarder(url), log).round(never);

async function startProcess(env: Record<string, string>): Promise<ChildProcess> {
  const path = fileURLToPath(new URL('../../support/processes/forwarding-process.ts', import.meta.url));
  const child = spawn(process.execPath, [path], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...programVariables, DATABASE_URL: database.sidecarUrl, ...env },
  });
  children.push(child);
  if (child.stdout) await once(child.stdout, 'data');
  return child;
}

describe('the audit forwarded to Fluentd', () => {
  it('is complete, in order and without duplicates, with the hashes for verification', async () => {
    await write(2_500);
    const fluentd = await peer();
    await round(fluentd.url);
    expect(seqs(fluentd)).toEqual(upTo(2_500));
    const [event] = await connection.db.select().from(auditEvents).where(eq(auditEvents.seq, 7));
    const sealed: unknown = JSON.parse(event?.sealed_text ?? '');
    expect(fluentd.received[6]).toEqual({
      tag: 'aggregator.audit',
      at: event?.at,
      record: { ...Object(sealed), prev_hash: event?.prev_hash, hash: event?.hash },
    });
    await round(fluentd.url);
    expect(fluentd.received).toHaveLength(2_500);
    expect(await state()).toMatchObject({ target: 'fluentd', seq: 2_500, error: null });
  });

  it('excludes events that are not sealed yet', async () => {
    await write(2);
    await connection.db.insert(auditEvents).values(auditEntry(3));
    const fluentd = await peer();
    await round(fluentd.url);
    expect(seqs(fluentd)).toEqual([1, 2]);
    await sealAll(connection.db);
    await round(fluentd.url);
    expect(seqs(fluentd)).toEqual([1, 2, 3]);
  });

  it.each(['cut', 'another'] as const)('is sent again after this answer: %s', async (answer) => {
    await write(3);
    const answers = [answer];
    const fluentd = await peer(() => answers.shift() ?? 'acknowledge');
    await round(fluentd.url);
    expect(await state()).toMatchObject({ seq: 0, error: expect.stringMatching(/acknowledged/) });
    await round(fluentd.url);
    expect(seqs(fluentd)).toEqual([1, 2, 3, 1, 2, 3]);
    expect(await state()).toMatchObject({ seq: 3, error: null });
  });

  it('waits for an unavailable server, reports it once, and continues when it returns', async () => {
    await write(3);
    const { url, port, stop } = await startForwardPeer();
    await stop();
    for (let n = 0; n < 3; n++) await round(url);
    expect(lines).toHaveLength(1);
    const configured = { fluentd: url };
    expect(forwarderStates(await forwardStates(connection.db), configured, 1)).toEqual([
      { name: `fluentd(127.0.0.1:${port})`, state: 'fail' },
    ]);
    const fluentd = await peer(undefined, port);
    await round(url);
    expect(seqs(fluentd)).toEqual([1, 2, 3]);
    expect(forwarderStates(await forwardStates(connection.db), configured, 1)).toEqual([
      { name: `fluentd(127.0.0.1:${port})`, state: 'pass' },
    ]);
    expect(forwarderStates(await forwardStates(connection.db), {}, 1)).toEqual([]);
  });

  it('detects an unavailable server also when there are no events to send', async () => {
    const fluentd = await peer();
    await round(fluentd.url);
    expect(await state()).toMatchObject({ seq: 0, error: null });
    await fluentd.stop();
    peers.length = 0;
    await round(fluentd.url);
    expect(await state()).toMatchObject({ error: null });
    await connection.db.update(auditForwards).set({ checked_at: sql`now() - interval '16 seconds'` });
    await round(fluentd.url);
    expect(await state()).toMatchObject({ error: expect.stringContaining('ECONNREFUSED') });
  });

  it('has no control character that could forge lines', async () => {
    const evil = 'x\r\n\u001b[31mroot\u0007\u009b\u007f';
    await write(1, { message: evil, user_agent: evil, details: { [evil]: [evil] } });
    const fluentd = await peer();
    await round(fluentd.url);
    const texts: string[] = [];
    JSON.stringify(fluentd.received, (name, value: unknown) => {
      texts.push(name, ...(typeof value === 'string' ? [value] : []));
      return value;
    });
    expect(texts).toContain('x\\u000d\\u000a\\u001b[31mroot\\u0007\\u009b\\u007f');
    expect(texts.filter((text) => escapeControls(text) !== text)).toEqual([]);
  });

  it('is sent twice rather than lost when the sender is killed before it stores its position', async () => {
    await write(4);
    let isSilent = true;
    const fluentd = await peer(() => (isSilent ? 'nothing' : 'acknowledge'));
    const first = await startProcess({ FLUENTD_URL: fluentd.url });
    await expect.poll(() => seqs(fluentd), { timeout: 15_000 }).toEqual([1, 2, 3, 4]);
    first.kill('SIGKILL');
    await once(first, 'exit');
    expect(await state()).toBeUndefined();
    isSilent = false;
    await expireLease(connection.db);
    await startProcess({ FLUENTD_URL: fluentd.url });
    await expect.poll(() => state(), { timeout: 15_000 }).toMatchObject({ seq: 4, error: null });
    expect(seqs(fluentd)).toEqual([1, 2, 3, 4, 1, 2, 3, 4]);
  }, 40_000);

  it('is sent by one of two sidecars at a time, each event once', async () => {
    const fluentd = await peer();
    await Promise.all([
      startProcess({ FLUENTD_URL: fluentd.url }),
      startProcess({ FLUENTD_URL: fluentd.url }),
    ]);
    for (let n = 1; n <= 3; n++) {
      await write(200);
      await expect.poll(() => fluentd.received.length, { timeout: 15_000 }).toBeGreaterThanOrEqual(200 * n);
    }
    expect(seqs(fluentd)).toEqual(upTo(600));
  }, 60_000);

  it('does not move the position of another destination', async () => {
    await write(5);
    const { db } = connection;
    const slow = await peer(() => 'acknowledge');
    const forwarder = createFluentdForwarder(slow.url);
    const overtaken = forwardJob(
      db,
      {
        ...forwarder,
        deliver: async (events, signal) => {
          await forwarder.deliver(events, signal);
          await db.insert(auditForwards).values({ target: 'fluentd', seq: 3 });
        },
      },
      log,
    );
    await overtaken.round(never);
    expect(await state()).toMatchObject({ seq: 3 });
  });
});

it('is not sent without a configured destination', () => {
  expect(forwardJobs(connection.db, { fluentdUrl: undefined, syslogUrl: undefined }, 'x', log)).toEqual([]);
});

requireService('rsyslog with its TLS driver', hasRsyslog)('the audit on its way to syslog over TLS', () => {
  let rsyslog: Rsyslog;

  beforeEach(async () => {
    rsyslog = await prepareRsyslog();
  });
  afterEach(() => rsyslog.remove());

  const configured = () => ({ SYSLOG_URL: rsyslog.url, NODE_EXTRA_CA_CERTS: rsyslog.caFile });
  const arrived = async () => {
    const found = (await rsyslog.received()).map(
      (message) => /seq="(\d+)"/.exec(message['structured-data'])?.[1],
    );
    return [...new Set(found.map(Number))].sort((a, b) => a - b);
  };

  it('is complete in RFC 5424 form for rsyslog, each event once', async () => {
    await rsyslog.start();
    await write(1_500, { user_name: 'Zoë "1"]\\ 日本', level: 'warning' });
    await startProcess(configured());
    await expect.poll(arrived, { timeout: 20_000 }).toEqual(upTo(1_500));
    const messages = await rsyslog.received();
    expect(messages).toHaveLength(1_500);
    const [event] = await connection.db.select().from(auditEvents).where(eq(auditEvents.seq, 1));
    expect(messages[0]).toMatchObject({
      pri: '108',
      hostname: 'portal-1',
      'app-name': 'aggregator',
      msgid: 'portal.EntityAction',
      'structured-data': `[audit@32473 seq="1" prev_hash="${event?.prev_hash}" hash="${event?.hash}"]`,
    });
    expect(messages[0]?.msg.trim()).toBe(event?.sealed_text);
    expect(new Date(messages[0]?.timereported ?? '')).toEqual(event?.at);
  }, 60_000);

  it('is complete after the server was away, and after it was killed', async () => {
    await write(3);
    await startProcess(configured());
    await expect
      .poll(state, { timeout: 15_000 })
      .toMatchObject({ error: expect.stringContaining('ECONNREFUSED') });
    await rsyslog.start();
    await expect.poll(arrived, { timeout: 15_000 }).toEqual([1, 2, 3]);
    await rsyslog.kill();
    await write(5);
    await rsyslog.start();
    await expect.poll(arrived, { timeout: 15_000 }).toEqual(upTo(8));
    await expect.poll(state).toMatchObject({ seq: 8, error: null });
  }, 60_000);

  it('is not sent to an untrusted server', async () => {
    await rsyslog.start();
    await write(3);
    await forwardJob(connection.db, createSyslogForwarder(rsyslog.url, 'portal-1'), log).round(never);
    expect(await state()).toMatchObject({ seq: 0, error: expect.stringMatching(/certificate/) });
    expect(await rsyslog.lines()).toEqual([]);
  });

  it('has one line per event, whatever the event contains', async () => {
    await rsyslog.start();
    const evil = 'x\r\n<13>1 - - forged - - -\u001b[2J\u009b\u007f';
    await write(1, { message: evil, user_agent: evil, event: 'a b\nc', details: { [evil]: evil } });
    await write(1, { details: { long: 'ü\n'.repeat(9_000) }, object_name: 'still there' });
    await startProcess(configured());
    await expect.poll(arrived, { timeout: 20_000 }).toEqual([1, 2]);
    const messages = await rsyslog.received();
    expect(messages.map(({ msgid }) => msgid)).toEqual(['a?b?c', 'portal.EntityAction']);
    expect(JSON.parse(messages[0]?.msg ?? '')).toMatchObject({ message: evil, details: { [evil]: evil } });
    expect(JSON.parse(messages[1]?.msg ?? '')).toMatchObject({
      object_name: 'still there',
      left_out: ['changes', 'details'],
    });
    for (const { msg } of messages) expect(msg).toMatch(/^[\x20-\x7e\xa0-\uffff]+$/);
  }, 60_000);
});
