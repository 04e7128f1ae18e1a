import { expect, it } from 'vitest';
import type { Db } from '../../../db/client.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { type LateWrites, runWithin, withoutSecrets } from '../../../shared/http/writes/transactional.ts';

const [outer, handle] = [{ name: 'outer' }, { name: 'handle' }] as unknown as [Db, Db];

const context = (told: Promise<unknown>[]): RequestCtx =>
  ({
    deps: { db: outer },
    background: (work: Promise<unknown>) => void told.push(work),
    later: () => expect.unreachable('a late write must wait for the end of the transaction'),
  }) as unknown as RequestCtx;

it('code within a transaction uses its handle until the end, and later code the database itself', async () => {
  const late: LateWrites = [];
  const seen: unknown[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  await runWithin(
    context([]),
    handle,
    async ({ deps, background, later }) => {
      seen.push(deps.db);
      later(async () => seen.push(deps.db));
      background(promise.then(() => seen.push(deps.db)));
      setImmediate(resolve);
      return new Response();
    },
    late,
  );
  expect(seen).toEqual([handle, handle]);
  await Promise.all(late.map((write) => write()));
  expect(seen[2]).toBe(outer);
});

it('a failure in the background does not fail the request, and is passed to the runtime', async () => {
  const told: Promise<unknown>[] = [];
  const work = Promise.reject(new Error('lost'));
  const response = await runWithin(
    context(told),
    handle,
    async ({ background }) => {
      background(work);
      return new Response('done');
    },
    [],
  );
  expect([await response.text(), told]).toEqual(['done', [work]]);
});

it('one-time secrets are null in a stored answer, with a flag only where they were set', () => {
  expect(JSON.parse(withoutSecrets('{"id":1,"token":"abc"}', ['token']))).toEqual({
    id: 1,
    token: null,
    token_set: true,
  });
  expect(withoutSecrets('{"token":null,"token_set":true}', ['token', 'codes'])).toBe(
    '{"token":null,"token_set":true}',
  );
  expect(withoutSecrets('', ['token'])).toBe('');
});
