import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { createFluentdForwarder } from '../../../shared/remotes/log-forwarder/node.ts';
import type { ForwardedEvent } from '../../../shared/remotes/log-forwarder/port.ts';
import { ensureLocalTls } from '../../../shared/tooling/start/tls/local-tls.ts';
import { doorkeeper } from '../../support/audit/forward-door.ts';
import { type Entrance, type ForwardPeer, startForwardPeer } from '../../support/audit/forward-peer.ts';

const sharedKey = 'a key of ours, ü included';
const credentials = { hostname: 'portal-1', sharedKey };
const never = new AbortController().signal;
const peers: ForwardPeer[] = [];
afterEach(() => Promise.all(peers.splice(0).map((peer) => peer.stop())));

async function peer(
  entrance: Entrance,
  answer?: Parameters<typeof startForwardPeer>[0],
): Promise<ForwardPeer> {
  const started = await startForwardPeer(answer, 0, entrance);
  peers.push(started);
  return started;
}

const eventOf = (seq: number): ForwardedEvent => ({
  seq,
  at: new Date(Date.UTC(2026, 0, 1)),
  level: 'info',
  event: 'portal.EntityAction',
  sealed_text: JSON.stringify({ seq, message: `event ${seq}` }),
  prev_hash: '0'.repeat(64),
  hash: '1'.repeat(64),
});
const events = [1, 2, 3].map(eventOf);
const seqs = ({ received }: ForwardPeer) => received.map(({ record }) => record.seq);

describe('a Fluentd server with a shared key', () => {
  it.each([
    false,
    true,
  ])('gets the events after mutual proof of the key, with its nonce as text: %s', async (spellsNonceAsText) => {
    // A text of random bytes is hardly ever UTF-8; each nonce is different.
    for (let n = 0; n < 8; n++) {
      const door = doorkeeper(sharedKey, { spellsNonceAsText });
      const fluentd = await peer({ door });
      await createFluentdForwarder(fluentd.url, credentials).deliver(events, never);
      expect([door.letIn, seqs(fluentd)]).toEqual([['portal-1'], [1, 2, 3]]);
    }
  });

  it('is not considered to have events without an acknowledgement, also after the handshake', async () => {
    const fluentd = await peer({ door: doorkeeper(sharedKey) }, () => 'another');
    const delivered = createFluentdForwarder(fluentd.url, credentials).deliver(events, never);
    await expect(delivered).rejects.toThrow('acknowledged another chunk');
  });

  it('gets nothing when it rejects the key, which is also detected without events to send', async () => {
    const fluentd = await peer({ door: doorkeeper('another key') });
    const forwarder = createFluentdForwarder(fluentd.url, credentials);
    for (const some of [events, []])
      await expect(forwarder.deliver(some, never)).rejects.toThrow(
        'rejected the connection: shared_key mismatch',
      );
    expect(fluentd.received).toEqual([]);
  });

  it('gets nothing when it accepts the portal without the key', async () => {
    const fluentd = await peer({ door: doorkeeper(sharedKey, { isImpostor: true }) });
    const delivered = createFluentdForwarder(fluentd.url, credentials).deliver(events, never);
    await expect(delivered).rejects.toThrow('has another shared key');
    expect(fluentd.received).toEqual([]);
  });

  it('with user accounts is reported as unsupported', async () => {
    const fluentd = await peer({ door: doorkeeper(sharedKey, { asksForUsers: true }) });
    const delivered = createFluentdForwarder(fluentd.url, credentials).deliver(events, never);
    await expect(delivered).rejects.toThrow('requires a user');
  });

  it('gets no acknowledged event from a client without the key, with the cause in the error', async () => {
    const fluentd = await peer({ door: doorkeeper(sharedKey) });
    const delivered = createFluentdForwarder(fluentd.url).deliver(events, never);
    await expect(delivered).rejects.toThrow('FLUENTD_SHARED_KEY');
    expect(fluentd.received).toEqual([]);
  });

  it('gets nothing over a connection that times out before its greeting', async () => {
    // It sends no request, so both sides wait.
    const fluentd = await peer({});
    const stop = new AbortController();
    const delivered = createFluentdForwarder(fluentd.url, credentials).deliver(events, stop.signal);
    stop.abort();
    await expect(delivered).rejects.toThrow();
    expect(fluentd.received).toEqual([]);
  });
});

describe('a Fluentd server over TLS', () => {
  it('gets the events with a shared key only from a client that trusts its authority', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'aggregator-fluentd-'));
    const { certPem: cert, keyPem: key, caFile } = await ensureLocalTls(folder, []);
    const door = doorkeeper(sharedKey);
    const fluentd = await peer({ door, tls: { cert, key } });
    const forwarder = createFluentdForwarder(fluentd.url, credentials);
    await expect(forwarder.deliver(events, never)).rejects.toThrow(/certificate/);
    expect(door.letIn).toEqual([]);
    const usual = getCACertificates('default');
    setDefaultCACertificates([...usual, await readFile(caFile, 'utf8')]);
    await forwarder.deliver(events, never).finally(() => setDefaultCACertificates(usual));
    expect([door.letIn, seqs(fluentd)]).toEqual([['portal-1'], [1, 2, 3]]);
    await rm(folder, { recursive: true, force: true });
  });
});
