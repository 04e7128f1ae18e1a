import { request } from 'node:http';
import { expect, it } from 'vitest';
import { addSite, addTag, useStand } from '../../support/factories.ts';
import { changesPath, follow, patient, startStreams } from '../../support/http/changes.ts';

const stand = useStand(() => startStreams({ perOwner: 2, total: 3, beatMs: 200, everyMs: 200 }));
const crowd = useStand(() => startStreams({ perOwner: 1_000 }));

const open = async (origin: string, token: string) => {
  const abort = new AbortController();
  const headers = { 'x-auth-token': token, accept: 'text/event-stream', 'accept-encoding': 'gzip, br' };
  const response = await fetch(`${origin}${changesPath}`, { headers, signal: abort.signal });
  return { response, close: () => abort.abort() };
};

it('is neither buffered, cached nor compressed, and stays open by comments', async () => {
  const { origin, token } = stand;
  const { response, close } = await open(origin, token);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  expect(response.headers.get('cache-control')).toMatch(/no-cache.*no-transform/);
  expect(response.headers.get('content-encoding')).toBeNull();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.split('\n: \n').length > 2) break;
  }
  expect(text).toMatch(/^retry: \d+\n/);
  expect(text).toMatch(/\nid: [0-9a-f]{8}\.\d+\.\d+\nevent: reset\ndata: \{\}\n\n/);
  close();
});

it('is limited per user and per process', async () => {
  const { world, origin, token } = stand;
  const { changes } = world.portal.deps;
  await expect.poll(() => changes?.size(), patient).toBe(0);
  const opened = [await open(origin, token), await open(origin, token)];
  const third = await open(origin, token);
  expect([third.response.status, third.response.headers.get('retry-after')]).toEqual([429, '10']);
  opened[0]?.close();
  await expect.poll(() => changes?.size(), patient).toBe(1);
  const again = await open(origin, token);
  expect(again.response.status).toBe(200);
  for (const one of [...opened, again]) one.close();
  await expect.poll(() => changes?.size(), patient).toBe(0);
});

it('continues after the last event, also with Last-Event-ID', async () => {
  const { world, origin, token } = stand;
  const stream = await follow(origin, token);
  const site = await addSite(world.admin);
  await expect.poll(() => stream.seen, patient).toContain(`site ${site.id}`);
  const cursor = stream.lastId();
  stream.close();
  const missed = await addTag(world.admin);
  const next = await follow(origin, token, cursor);
  await expect.poll(() => next.seen, patient).toEqual([`tag ${missed.id}`]);
  // The client opens the stream again by itself, with the header.
  world.portal.deps.changes?.endAll();
  await expect.poll(() => next.ends(), patient).toBe(1);
  const later = await addTag(world.admin);
  await expect.poll(() => next.seen, patient).toContain(`tag ${later.id}`);
  expect(next.seen).toEqual([`tag ${missed.id}`, `tag ${later.id}`]);
  next.close();
});

it('reads nothing from the database while no stream is open', async () => {
  const { world } = stand;
  await expect.poll(() => world.portal.deps.changes?.size(), patient).toBe(0);
  await world.portal.settled();
  const before = world.portal.trips();
  // Two intervals of the reader of the other stand pass.
  const other = await follow(crowd.origin, crowd.token);
  const trips = crowd.world.portal.trips();
  await expect.poll(() => crowd.world.portal.trips(), patient).toBeGreaterThan(trips + 1);
  other.close();
  expect(world.portal.trips()).toBe(before);
});

it('serves 500 streams with one round trip per interval and less than 50 MB', async () => {
  const { world, origin, token } = crowd;
  const url = new URL(changesPath, origin);
  const ask = () =>
    new Promise<{ received: () => string; close: () => void }>((resolve, reject) => {
      const sent = request(url, {
        agent: false,
        headers: { 'x-auth-token': token, accept: 'text/event-stream' },
      });
      let text = '';
      sent.on('error', reject).on('response', (answer) => {
        answer.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        answer.on('error', () => undefined);
        resolve({ received: () => text, close: () => sent.destroy() });
      });
      sent.end();
    });
  const opened = async () => {
    const all = [await ask()];
    while (all.length < 500) all.push(...(await Promise.all(Array.from({ length: 25 }, ask))));
    await expect.poll(() => all.every((one) => one.received().includes('reset')), patient).toBe(true);
    return all;
  };
  // The first streams of a process also load and compile what they use.
  for (const one of await opened()) one.close();
  await expect.poll(() => world.portal.deps.changes?.size(), patient).toBe(0);
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const streams = await opened();
  const trips = world.portal.trips();
  const startedAt = performance.now();
  const site = await addSite(world.admin);
  await expect.poll(() => streams.every((one) => one.received().includes(site.id)), patient).toBe(true);
  const seconds = (performance.now() - startedAt) / 1000;
  const used = world.portal.trips() - trips;
  const grown = (process.memoryUsage().rss - before) / 2 ** 20;
  process.stdout.write(
    `500 streams: ${used} round trips in ${seconds.toFixed(1)} s, ${grown.toFixed(0)} MiB\n`,
  );
  expect(used).toBeLessThan(20);
  // Clients and server share the process.
  expect(grown).toBeLessThan(50);
  for (const one of streams) one.close();
  await expect.poll(() => world.portal.deps.changes?.size(), patient).toBe(0);
}, 60_000);
