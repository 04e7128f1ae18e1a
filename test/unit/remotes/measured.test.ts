import { expect, it } from 'vitest';
import { createTurnstile } from '../../../shared/kernel/turnstile.ts';
import { measured, takingTurns } from '../../../shared/remotes/http/measured.ts';
import type { Transport, TransportRequest } from '../../../shared/remotes/http/transport.ts';

const request = (given: Partial<TransportRequest> = {}): TransportRequest => ({
  method: 'GET',
  url: 'https://node.example/',
  headers: {},
  deadlineMs: 1_000,
  verifyTls: true,
  ...given,
});

/** A transport whose calls end when told to. */
function heldTransport() {
  const held: (() => void)[] = [];
  const wait = () => new Promise<void>((resolve) => held.push(resolve));
  const transport: Transport = {
    send: async () => wait().then(() => ({ status: 200, headers: {}, text: '' })),
    inspect: async () => wait().then(() => ({ subject: '', issuer: '', not_after: '' })),
  };
  return { held, transport };
}

it('exchanges and looks at certificates share one bound, however many want to', async () => {
  const { held, transport } = heldTransport();
  const bounded = takingTurns(transport, createTurnstile(12));
  const all = [
    ...Array.from({ length: 20 }, () => bounded.send(request())),
    ...Array.from({ length: 20 }, () => bounded.inspect?.('https://node.example/', { deadlineMs: 1 })),
  ];
  let ended = 0;
  while (ended < 40) {
    expect(held.length - ended).toBe(Math.min(12, 40 - ended));
    held[ended++]?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(all);
});

it('a transport that shows no certificates shows none afterwards', () => {
  const { send } = heldTransport().transport;
  expect(takingTurns({ send }, createTurnstile(1)).inspect).toBeUndefined();
});

it('each exchange that concerns somebody is timed, its failure included', async () => {
  const noted: [string, boolean][] = [];
  const send = async ({ url }: TransportRequest) => {
    if (url.endsWith('bad')) throw new Error('refused');
    return { status: 200, headers: {}, text: '' };
  };
  const timed = measured({ send }, (concerns, seconds) => void noted.push([concerns, seconds >= 0]));
  await timed.send(request({ concerns: 'north' }));
  await timed.send(request());
  await expect(timed.send(request({ concerns: 'south', url: 'https://node.example/bad' }))).rejects.toThrow();
  expect(noted).toEqual([
    ['north', true],
    ['south', true],
  ]);
});
