import type { Db } from '../../../db/client.ts';
import type { BaseDeps } from '../../context/context.ts';
import { isSignedIn, type SignedIn } from '../../context/principal.ts';
import type { RequestCtx } from '../context.ts';

/** An operation with its input, which is run in a given context. */
export type Run<D extends BaseDeps> = (ctx: RequestCtx<D>) => Promise<Response>;

/** Writes that do not delay the response and must not extend the transaction. */
export type LateWrites = (() => PromiseLike<unknown>)[];

export const hasSession = <D extends BaseDeps>(ctx: RequestCtx<D>): ctx is RequestCtx<D, SignedIn> =>
  isSignedIn(ctx.principal);

/**
 * Runs an operation on the handle of a transaction. After the transaction, the handle can belong to another request.
 * Background work is therefore awaited, later writes are added to `late`, and both use the database of `ctx`
 * afterwards.
 */
export async function runWithin<D extends BaseDeps>(
  ctx: RequestCtx<D>,
  handle: Db,
  run: Run<D>,
  late: LateWrites,
): Promise<Response> {
  const begun: Promise<unknown>[] = [];
  const inside = { db: handle };
  const deps = {
    ...ctx.deps,
    get db(): Db {
      return inside.db;
    },
  };
  try {
    return await run({
      ...ctx,
      deps,
      background: (work) => {
        begun.push(work);
        ctx.background(work);
      },
      later: (write) => void late.push(write),
    });
  } finally {
    // Background work can start further work, which extends the list.
    for (const work of begun) await work.catch(() => undefined);
    inside.db = ctx.deps.db;
  }
}

/** Returns the body of a response with one-time secrets replaced by `null`, and `<member>_set` added. */
export function withoutSecrets(body: string, shownOnce: readonly string[] = []): string {
  if (body === '' || shownOnce.length === 0) return body;
  const members: Record<string, unknown> = JSON.parse(body);
  const masked = shownOnce
    .filter((name) => members[name] != null)
    .flatMap((name) => [
      [name, null],
      [`${name}_set`, true],
    ]);
  return JSON.stringify({ ...members, ...Object.fromEntries(masked) });
}
