import { atomically } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import type { Destination } from '../../../db/repositories/sites/destinations.ts';
import { setStatus } from '../../../db/repositories/sites/dispatcher-status.ts';
import { dispatchers } from '../../../db/repositories/sites/dispatchers.ts';
import { nodeRecord } from '../../../db/repositories/sites/node-records.ts';
import { auditEntry } from '../../../shared/context/audit-entry.ts';
import type { Ctx } from '../../../shared/context/context.ts';
import type { SignedIn } from '../../../shared/context/principal.ts';
import { AppError, notFound } from '../../../shared/kernel/errors.ts';
import { isUnauthorized } from '../../../shared/remotes/dispatcher/failures.ts';
import { aggregator, nodeOf, obtainKey } from '../../../shared/sites/calls/dispatcher-keys.ts';
import type { AuthDeps } from '../deps.ts';

type Row = NonNullable<Awaited<ReturnType<typeof dispatchers.find>>>;

/**
 * Exchanges a token signed by the portal for a session key of the node.
 * @throws AppError `not_found`, `upstream_*` with `site`, `farm` and `dispatcher`
 */
export async function authorizeOn(ctx: Ctx<AuthDeps, SignedIn>, id: string) {
  const row = await dispatchers.find(ctx.deps.db, id, { scope: ctx.scope });
  if (!row) throw notFound();
  const node = nodeOf(row);
  try {
    const { expiresInS } = await obtainKey(ctx, { node, principal: aggregator, keys: [] });
    await record(ctx, row, node, undefined);
    return { result: 'ok', dispatcher_id: id, expires_in: expiresInS };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    await record(ctx, row, node, error);
    const members = { ...error.members, site: row.site_uri, farm: row.farm_name };
    throw new AppError(error.code, error.detail, members, { cause: error });
  }
}

/** Records the outcome as an audit event, and a rejection also as the status of the node. */
async function record(
  ctx: Ctx<AuthDeps, SignedIn>,
  row: Row,
  at: Destination,
  error: AppError | undefined,
): Promise<void> {
  const audit = auditEntry(ctx, {
    event: error ? 'aggregator.DispatcherRefused' : 'aggregator.DispatcherAuthorized',
    category: 'config',
    ...(error && {
      level: 'warning',
      result: 'failure',
      details: { code: error.code, reason: error.members.reason ?? null },
    }),
    object_type: 'dispatcher',
    object_id: row.id,
    object_name: row.name,
  });
  const isRefused = error !== undefined && isUnauthorized(error);
  const seen = { status: 'unauthorized', last_error: error?.code ?? '' } as const;
  await atomically(ctx.deps.db, (h) => [
    ...(isRefused ? setStatus(h, at, { ...seen, at: ctx.now }, nodeRecord(row, seen, ctx.now)) : []),
    appendAudit(h, audit),
  ]);
}
