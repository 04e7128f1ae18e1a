import type { Db } from '../../db/client.ts';
import { addMessages } from '../../db/repositories/agents/session-messages.ts';
import { findReachable, workplacesOf } from '../../db/repositories/agents/sessions.ts';
import type { AuditFields } from '../context/audit-entry.ts';
import type { Notifier } from '../kernel/concurrency/notifier.ts';
import { AppError, type ErrorCode } from '../kernel/errors.ts';
import type { Capability } from '../remotes/dispatcher/capabilities.ts';
import type { Delivery, MessageOrder } from '../remotes/dispatcher/orders.ts';
import { type ActionCtx, act, actLater, type Target } from '../sites/calls/actions.ts';
import type { FleetDeps } from '../sites/calls/dispatcher-keys.ts';

export type MessageCtx = ActionCtx & { deps: FleetDeps & { notifier?: Notifier } };

type AuditedMessage = Omit<AuditFields, 'object_type' | 'object_id' | 'result'>;

/**
 * Shows a message at workplaces of a pool. Workplaces with a registered and active session agent receive it from the
 * agent, the others from a node, never from both. A failure of a node does not affect the messages to session agents.
 * @throws AppError as `act` if no session agent is addressed
 */
export async function showMessage(
  ctx: MessageCtx,
  pool: Target,
  order: MessageOrder,
  audit: AuditedMessage,
): Promise<Delivery> {
  const only = 'workplaces' in order ? order.workplaces : undefined;
  const at = { farmId: pool.farm.id, pool: pool.uuid, only };
  const { byAgent, others } = await addresseesOf(ctx.deps.db, at, ctx.now);
  if (byAgent.length === 0) return byNode(ctx, pool, order, audit);
  await leave(ctx, pool, byAgent, order, audit);
  const { delivered, failed } = await toOthers(ctx, pool, others ?? [], order, audit);
  return { delivered: [...byAgent, ...delivered], failed: only ? failed : failed.filter(hasSession) };
}

/** `others` are the workplaces that a node notifies. Undefined means the whole pool, if no session agent is active. */
export type Addressees = { byAgent: string[]; others: string[] | undefined };

/**
 * Splits the workplaces of a pool by delivery: those with a registered and active session agent, and the others.
 * @param at `only` is undefined for the whole pool
 */
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

/** False for workplaces without a session. For a message to a whole pool, they are not failures. */
export const hasSession = ({ code }: Delivery['failed'][number]): boolean => code !== 'no_session';

/** Stores the messages in the batch of the audit event, then notifies waiting requests of this process. */
async function leave(
  ctx: MessageCtx,
  pool: Target,
  reached: readonly string[],
  { title, message }: MessageOrder,
  audit: AuditedMessage,
): Promise<void> {
  const content = { kind: 'message', title, message, at: ctx.now } as const;
  const counts = { delivered: reached.length, failed: 0, by: 'session_agent' };
  const action = {
    audit,
    written: (h: FleetDeps['db']) => [addMessages(h, pool.farm.id, reached, content)],
    details: () => counts,
  };
  await actLater(ctx, pool, action, undefined);
  for (const uuid of reached) ctx.deps.notifier?.notify(uuid);
}

const mostOfNode = 1_000;

/** Splits the workplaces into batches of the maximum size that a node accepts. */
export const chunksForNode = (workplaces: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(workplaces.length / mostOfNode) }, (_, n) =>
    workplaces.slice(n * mostOfNode, (n + 1) * mostOfNode),
  );

async function toOthers(
  ctx: MessageCtx,
  pool: Target,
  others: readonly string[],
  { title, message, level }: MessageOrder,
  audit: AuditedMessage,
): Promise<Delivery> {
  const all: Delivery = { delivered: [], failed: [] };
  for (const workplaces of chunksForNode(others)) {
    const part = await byNode(ctx, pool, { title, message, level, workplaces }, audit).catch(
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

/** The capability that the dispatchers of the farm need for workplaces without a session agent. */
export const messageNeeds = ['messages'] as const satisfies readonly Capability[];

const byNode = (
  ctx: MessageCtx,
  pool: Target,
  order: MessageOrder,
  audit: AuditedMessage,
): Promise<Delivery> =>
  act<Delivery>(ctx, pool, {
    audit,
    needs: messageNeeds,
    call: (call) => ctx.deps.dispatchers.sendMessage(call, pool.uuid, order),
    written: () => [],
    details: ({ delivered, failed }) => ({ delivered: delivered.length, failed: failed.length }),
  });
