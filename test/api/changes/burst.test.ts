import { request } from 'node:http';
import { eq } from 'drizzle-orm';
import { expect, it, vi } from 'vitest';
import { changes } from '../../../db/schema/changes/changes.ts';
import { users } from '../../../db/schema/identity/users.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { addSite, useStand } from '../../support/factories.ts';
import { changesPath, follow, patient, startStreams } from '../../support/http/changes.ts';
import type { Json } from '../../support/portal.ts';

/** The whole size is that of a large installation: `CHANGE_BURST=full`. */
const isFull = process.env.CHANGE_BURST === 'full';
const [streamCount, changeCount] = isFull ? [1_000, 20_000] : [150, 4_000];
/** A transaction with more changes notes that many objects have changed. */
const perTransaction = 500;

vi.setConfig({ testTimeout: 120_000 });

const stand = useStand(() => startStreams({ perOwner: 1_000, silentMs: 1_000, beatMs: 300 }));
const size = () => stand.world.portal.deps.changes?.size();

type Client = { text(): string; hasEnded(): boolean; close(): void };

/** A client that reads all the time. */
const open = () =>
  new Promise<Client>((resolve, reject) => {
    const headers = { 'x-auth-token': stand.token, accept: 'text/event-stream' };
    const sent = request(new URL(changesPath, stand.origin), { agent: false, headers });
    let [text, hasEnded] = ['', false];
    sent.on('error', reject).on('response', (answer) => {
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      answer
        .on('error', () => undefined)
        .on('close', () => {
          hasEnded = true;
        });
      resolve({ text: () => text, hasEnded: () => hasEnded, close: () => sent.destroy() });
    });
    sent.end();
  });

async function change(count: number): Promise<void> {
  const { portal, domain } = stand.world;
  for (let made = 0; made < count; made += perTransaction)
    await portal.db.insert(users).values(
      Array.from({ length: perTransaction }, () => {
        const id = newId();
        return { id, authenticator_id: domain.id, name: id, name_key: id };
      }),
    );
}

/** The transaction of the change of an object. */
async function positionOf({ id }: Json): Promise<bigint> {
  const [row] = await stand.world.portal.db.select().from(changes).where(eq(changes.object_id, id));
  return BigInt(row?.xid ?? 0);
}

/** The last transaction whose changes a client has received, singly or as a `reset`. */
const seenTo = (text: string): bigint => BigInt(text.slice(text.lastIndexOf('\nid: ')).split('.')[1] ?? 0);

const memory = (): number => {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 2 ** 20;
};

it('a burst of changes ends no stream, and each of them is up to date soon after it', async () => {
  const printed = vi.spyOn(console, 'error');
  const clients: Client[] = [];
  while (clients.length < streamCount) clients.push(...(await Promise.all(Array.from({ length: 25 }, open))));
  await expect.poll(() => clients.every(({ text }) => text().includes('event: reset')), patient).toBe(true);
  const before = memory();
  await change(changeCount);
  const writtenAt = performance.now();
  const last = await positionOf(await addSite(stand.world.admin));
  const areCurrent = () => clients.every(({ text }) => seenTo(text()) >= last);
  await expect.poll(areCurrent, { timeout: 10_000, interval: 50 }).toBe(true);
  const seconds = (performance.now() - writtenAt) / 1_000;
  expect(clients.filter(({ hasEnded }) => hasEnded())).toEqual([]);
  expect(size()).toBe(streamCount);
  const received = Math.max(...clients.map(({ text }) => text().length)) / 1_024;
  const grown = memory() - before;
  process.stdout.write(
    `${streamCount} streams, ${changeCount} changes: current ${seconds.toFixed(1)} s after the last, at most ${received.toFixed(0)} KiB a stream, ${grown.toFixed(0)} MiB\n`,
  );
  // What the clients have received is in the same process.
  expect(grown).toBeLessThan(isFull ? 250 : 50);
  for (const client of clients) client.close();
  await expect.poll(size, patient).toBe(0);
  expect(printed).not.toHaveBeenCalled();
});

it('a client is cut when it reads nothing for a time, not for the size of what waits for it', async () => {
  const { portal } = stand.world;
  const headers = { 'x-auth-token': stand.token, accept: 'text/event-stream' };
  const answer = await portal.portal.fetch(new Request(`https://portal.test${changesPath}`, { headers }), {
    client: { ip: '127.0.0.1', secure: true, loopback: true },
    background: () => undefined,
  });
  const reader = answer.body?.getReader();
  await reader?.read();
  const other = await open();
  await change(1_000);
  await expect.poll(size, patient).toBe(1);
  await expect(reader?.closed).rejects.toThrow();
  expect(portal.log.map(({ message }) => message)).toContain(
    'a stream of changes is cut, because its client does not read',
  );
  other.close();
  await expect.poll(size, patient).toBe(0);
});

it('a client that continues gets each change once', async () => {
  const { world, origin, token } = stand;
  const first = await follow(origin, token);
  const streams = [first];
  for (let n = 0; n < 8; n++) {
    const cursor = first.lastId();
    await addSite(world.admin);
    // It reads the change by itself, before or after the reader of all streams.
    streams.push(await follow(origin, token, cursor));
  }
  const last = await addSite(world.admin);
  for (const { seen } of streams) {
    await expect.poll(() => seen, patient).toContain(`site ${last.id}`);
    expect(seen.filter((one, at) => seen.indexOf(one) !== at)).toEqual([]);
  }
  for (const stream of streams) stream.close();
});
