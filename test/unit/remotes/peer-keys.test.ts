import { expect, it } from 'vitest';
import { createPeerKeyCache } from '../../../shared/remotes/peer-keys/peer-key-cache.ts';
import type { PublicKey } from '../../../shared/remotes/peer-keys/shapes.ts';

const source = { url: 'https://peer.example.com/keys', ca: undefined };
const key = (kid: string): PublicKey => ({ kty: 'EC', kid, crv: 'P-256', x: 'x', y: 'y' });
const at = (seconds: number) => new Date(1_800_000_000_000 + seconds * 1_000);

function keysFrom(published: PublicKey[]) {
  const state = { published, fault: undefined as Error | undefined, reads: 0 };
  const keys = createPeerKeyCache({
    fetch: async () => {
      state.reads += 1;
      if (state.fault) throw state.fault;
      return [...state.published];
    },
  });
  return Object.assign(state, {
    find: (kid: string, seconds: number) => keys.find(source, kid, at(seconds)),
  });
}

it('the peer key cache fetches an unknown kid at most every five seconds, for any number of kids', async () => {
  const keys = keysFrom([key('a')]);
  for (const kid of ['b', 'c', 'd', 'e']) expect(await keys.find(kid, 0)).toBeUndefined();
  expect(keys.reads).toBe(1);
  expect((await keys.find('a', 1))?.kid).toBe('a');
  keys.published = [key('a'), key('b')];
  expect(await keys.find('b', 4.9)).toBeUndefined();
  expect((await keys.find('b', 5))?.kid).toBe('b');
  expect(keys.reads).toBe(2);
});

it('the peer key cache does not call a failing source during that time, and repeats its error', async () => {
  const keys = keysFrom([key('a')]);
  keys.fault = new Error('down');
  for (const seconds of [0, 1, 4]) await expect(keys.find('a', seconds)).rejects.toThrow('down');
  expect(keys.reads).toBe(1);
  keys.fault = undefined;
  expect((await keys.find('a', 5))?.kid).toBe('a');
});

it('the peer key cache uses keys for at most five minutes, also while new ones cannot be fetched', async () => {
  const keys = keysFrom([key('a')]);
  await keys.find('a', 0);
  keys.fault = new Error('down');
  await expect(keys.find('b', 100)).rejects.toThrow('down');
  expect((await keys.find('a', 299))?.kid).toBe('a');
  expect(keys.reads).toBe(2);
  await expect(keys.find('a', 300)).rejects.toThrow('down');
});

it('the peer key cache separates sources by address and authority, and has at most a hundred', async () => {
  const asked: string[] = [];
  const keys = createPeerKeyCache({ fetch: async ({ url }) => [key(String(asked.push(url)))] });
  const find = (url: string, ca?: string) => keys.find({ url, ca }, '1', at(0));
  await find('https://first.example.com');
  await find('https://first.example.com', 'another authority');
  for (let index = 0; index < 99; index++) await find(`https://peer-${index}.example.com`);
  await find('https://first.example.com');
  expect(asked.filter((url) => url === 'https://first.example.com')).toHaveLength(3);
});
