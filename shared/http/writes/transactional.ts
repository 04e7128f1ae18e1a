import type { Db } from '../../../db/client.ts';
import type { BaseDeps } from '../../context/context.ts';
import { isSignedIn, type SignedIn } from '../../context/principal.ts';
import type { RequestCtx } from '../context.ts';

/** An operation with its input, waiting for the context to run in. */
export type Run<D extends BaseDeps> = (ctx: RequestCtx<D>) => Promise<Response>;

/** Writes that nobody waits for, which a transaction must not hold up. */
export type LateWrites = (() => PromiseLike<unknown>)[];

export const hasSession = <D extends BaseDeps>(ctx: RequestCtx<D>): ctx is RequestCtx<D, SignedIn> =>
  isSignedIn(ctx.principal);

/**
 * Runs an operation on the handle of a transaction. A handle that has ended belongs to somebody else's connection, so
 * what is begun in the background is waited for, what is to be written later is put into `late`, and both find the
 * database of `ctx` again afterwards.
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
    // The list grows when what is begun begins more.
    for (const work of begun) await work.catch(() => undefined);
    inside.db = ctx.deps.db;
  }
}

/** The body of an answer with its shown-once secrets as `null`, and `<member>_set` beside. */
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
