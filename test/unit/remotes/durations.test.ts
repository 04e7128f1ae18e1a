import { expect, it } from 'vitest';
import { measureDuration } from '../../../shared/remotes/http/durations.ts';
import type { TransportRequest } from '../../../shared/remotes/http/transport.ts';

const request = (given: Partial<TransportRequest> = {}): TransportRequest => ({
  method: 'GET',
  url: 'https://node.example/',
  headers: {},
  deadlineMs: 1_000,
  verifyTls: true,
  ...given,
});

it('each exchange with a metric label is timed, including failures', async () => {
  const noted: [string, boolean][] = [];
  const send = async ({ url }: TransportRequest) => {
    if (url.endsWith('bad')) throw new Error('refused');
    return { status: 200, headers: {}, text: '' };
  };
  const timed = measureDuration({ send }, (concerns, seconds) => void noted.push([concerns, seconds >= 0]));
  await timed.send(request({ concerns: 'north' }));
  await timed.send(request());
  await expect(timed.send(request({ concerns: 'south', url: 'https://node.example/bad' }))).rejects.toThrow();
  expect(noted).toEqual([
    ['north', true],
    ['south', true],
  ]);
});
