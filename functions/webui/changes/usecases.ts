import { changeView } from '../../../shared/changes/event-text.ts';
import { pollChanges } from '../../../shared/changes/polling.ts';
import { seesAnything } from '../../../shared/changes/visibility.ts';
import { ownerOf, type SignedIn } from '../../../shared/context/principal.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { Answer, Document } from '../../../shared/http/serve/answer.ts';
import { etagOf } from '../../../shared/http/serve/conditions.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import type { WebuiDeps } from '../deps.ts';

/** Proxies must neither buffer nor compress the stream. */
const streamHeaders = {
  'cache-control': 'private, no-cache, no-store, no-transform',
  'x-accel-buffering': 'no',
};

/**
 * @param after a cursor; for a stream, `Last-Event-ID` precedes it
 * @throws AppError `forbidden` for a caller that may not read any object; `rate_limited`, `overloaded`
 */
export async function followChanges(
  ctx: RequestCtx<WebuiDeps, SignedIn>,
  after: string | undefined,
): Promise<Answer> {
  const { principal, deps, upstream } = ctx;
  if (!seesAnything(principal))
    throw new AppError('forbidden', 'No role of the caller grants a permission to read');
  const token = ctx.watchedToken();
  const { changes } = deps;
  if (changes && token && ctx.accepts('text/event-stream')) {
    const request = { token, principal, ownerId: ownerOf(principal).id, after: ctx.lastEventId ?? after };
    // Not before the caller is confirmed: a stream must not be opened for a response that is discarded.
    const body = await upstream(async () => changes.open(request));
    return new Document(body, 'text/event-stream', streamHeaders, { endsWithAccess: true });
  }
  const { items, ...rest } = await pollChanges(deps.db, principal, after);
  const answer = { items: items.map(changeView), ...rest };
  return new Answer(answer, { headers: { etag: etagOf(0, answer), vary: 'accept' } });
}
