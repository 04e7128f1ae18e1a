import type { Db } from '../../db/client.ts';
import { addMessages } from '../../db/repositories/agents/session-messages.ts';
import { findReachable, workplacesOf } from '../../db/repositories/agents/sessions.ts';
import type { Happening } from '../context/audit-entry.ts';
import type { Notifier } from '../kernel/concurrency/notifier.ts';
import { AppError, type ErrorCode } from '../kernel/errors.ts';
import type { Delivery, MessageOrder } from '../remotes/dispatcher/orders.ts';
import { type ActionCtx, act, actLater, type Target } from '../sites/calls/actions.ts';
import type { FleetDeps } from '../sites/calls/dispatcher-keys.ts';

export type MessageCtx = ActionCtx & { deps: FleetDeps & { notifier?: Notifier } };

type Happened = Omit<Happening, 'object_type' | 'object_id' | 'result'>;

/**
 * Shows a message at workplaces of a pool: to session agents that are registered here and alive, elsewhere by a node,
 * never by both. What a node cannot deliver takes nothing back of what session agents have.
 * @throws AppError as `act` where no session agent is concerned
 */
export async function showMessage(
  ctx: MessageCtx,
  pool: Target,
  order: MessageOrder,
  happening: Happened,
): Promise<Delivery> {
  const only = 'workplaces' in order ? order.workplaces : undefined;
  const at = { farmId: pool.farm.id, pool: pool.uuid, only };
  const { byAgent, others } = await addresseesOf(ctx.deps.db, at, ctx.now);
  if (byAgent.length === 0) return byNode(ctx, pool, order, happening);
  await leave(ctx, pool, byAgent, order, happening);
  const { delivered, failed } = await toOthers(ctx, pool, others ?? [], order, happening);
  return { delivered: [...byAgent, ...delivered], failed: only ? failed : failed.filter(isAskedFor) };
}

/** `others` are those that a node tells; undefined for all of the pool, when no agent is there. */
export type Addressees = { byAgent: string[]; others: string[] | undefined };

/** Who of a pool hears by a session agent that is registered here and alive. @param only undefined for the whole pool */
export async function addresseesOf(
  db: Db,
  at: { farmId: string; pool: string; only: string[] | undefined },
  now: Date,
): Promise<Addressees> {
  const byAgent = await findReachable(db, at, now);
  if (byAgent.length === 0) return { byAgent, others: at.only };
  const all = at.only ?? (await workplacesOf(db, at.farmId, at.pool));
  return { byAgent, others: all.filter((uuid) => !byAgent.includes(uuid)) };
}

/** Of a whole pool nobody asked by name for those that nobody works at. */
export const isAskedFor = ({ code }: Delivery['failed'][number]): boolean => code !== 'no_session';

/** In the batch of the audit event; then whoever waits for it in this process hears of it. */
async function leave(
  ctx: MessageCtx,
  pool: Target,
  reached: readonly string[],
  { title, message }: MessageOrder,
  happening: Happened,
): Promise<void> {
  const content = { kind: 'message', title, message, at: ctx.now } as const;
  const told = { delivered: reached.length, failed: 0, by: 'session_agent' };
  const action = {
    happening,
    written: (h: FleetDeps['db']) => [addMessages(h, pool.farm.id, reached, content)],
    told: () => told,
  };
  await actLater(ctx, pool, action, undefined);
  for (const uuid of reached) ctx.deps.notifier?.notify(uuid);
}

const mostOfNode = 1_000;

/** Workplaces in groups of as many as a node takes at once. */
export const chunksForNode = (workplaces: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(workplaces.length / mostOfNode) }, (_, n) =>
    workplaces.slice(n * mostOfNode, (n + 1) * mostOfNode),
  );

async function toOthers(
  ctx: MessageCtx,
  pool: Target,
  others: readonly string[],
  { title, message, level }: MessageOrder,
  happening: Happened,
): Promise<Delivery> {
  const all: Delivery = { delivered: [], failed: [] };
  for (const workplaces of chunksForNode(others)) {
    const part = await byNode(ctx, pool, { title, message, level, workplaces }, happening).catch(
      (error: unknown) => undelivered(workplaces, error),
    );
    all.delivered.push(...part.delivered);
    all.failed.push(...part.failed);
  }
  return all;
}

function undelivered(workplaces: readonly string[], error: unknown): Delivery {
  if (!(error instanceof AppError)) throw error;
  const code: ErrorCode = error.code;
  return { delivered: [], failed: workplaces.map((workplace_uuid) => ({ workplace_uuid, code })) };
}

const byNode = (ctx: MessageCtx, pool: Target, order: MessageOrder, happening: Happened): Promise<Delivery> =>
  act<Delivery>(ctx, pool, {
    happening,
    call: (call) => ctx.deps.dispatchers.sendMessage(call, pool.uuid, order),
    written: () => [],
    told: ({ delivered, failed }) => ({ delivered: delivered.length, failed: failed.length }),
  });
