import type { z } from 'zod';
import { atomically, type Db } from '../../../db/client.ts';
import { raisedByMust } from '../../../db/errors.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { dropSessionsOf } from '../../../db/repositories/routing/dispatcher-sessions.ts';
import { lockFarm, mustBeOfOneKind } from '../../../db/repositories/sites/dispatchers.ts';
import { releaseLogins } from '../../../db/repositories/sites/kinds/node-logins.ts';
import { auditEntry } from '../../../shared/context/audit-entry.ts';
import type { Target } from '../../../shared/http/records/crud-declarations.ts';
import { writableOf } from '../../../shared/http/records/kind.ts';
import { applyPatch } from '../../../shared/http/records/shapes.ts';
import { changeRecord, createRecord, findRecord } from '../../../shared/http/records/writes.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import { spellingOf } from '../../../shared/kernel/addresses/check.ts';
import { AppError, type FieldError, invalid } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { isCapable } from '../../../shared/remotes/dispatcher/capabilities.ts';
import type { WebuiCtx } from '../deps.ts';
import { checkNewNode, checkNode, sealedSecrets } from '../node-destination.ts';
import { dispatcherCrud } from './record.ts';
import { DispatcherWrite } from './schema.ts';

const { kind } = dispatcherCrud;
type Write = z.output<typeof DispatcherWrite>;

/** @throws AppError `invalid_request` for an address that the policy does not allow, and for members of another kind */
export async function createDispatcher(ctx: WebuiCtx, body: Write): Promise<Answer> {
  const id = newId();
  checkNewNode(ctx, body);
  return createRecord(ctx, kind, body, {
    id,
    columns: await sealedSecrets(ctx, id, body),
    ...inOneKind(body.farm_id),
  });
}

/** Refuses a node of another kind than the others of its farm. */
const inOneKind = (farmId: string) => ({
  before: (h: Db) => [lockFarm(h, farmId)],
  after: (h: Db) => [mustBeOfOneKind(h, farmId)],
  explained: async <T>(batch: () => Promise<T>): Promise<T> => {
    try {
      return await batch();
    } catch (error) {
      if (raisedByMust(error)?.reason !== 'other_kind') throw error;
      const detail = 'The other nodes of the farm are of another kind';
      throw invalid({ pointer: '/kind', code: 'other_kind', detail });
    }
  },
});

export const replaceDispatcher = (ctx: WebuiCtx, at: Target, body: Write): Promise<Answer> =>
  change(ctx, at, () => body, {});

export const updateDispatcher = (
  ctx: WebuiCtx,
  at: Target,
  patch: Record<string, unknown>,
): Promise<Answer> => change(ctx, at, (current) => applyPatch(DispatcherWrite, current, patch), patch);

const secretNames = ['health_key', 'account_password'] as const;
type SecretName = (typeof secretNames)[number];

/**
 * A stored secret is used only for the destination that it was stored for. If the destination changes, the secret must
 * be sent again, and session keys of the previous destination are deleted.
 * @param patch a merge patch removes a stored secret with `null`; a replacement keeps it
 */
function change(
  ctx: WebuiCtx,
  at: Target,
  become: (current: Record<string, unknown>) => Write,
  patch: Record<string, unknown>,
): Promise<Answer> {
  return changeRecord(ctx, kind, at, async (row) => {
    const body = become(writableOf(kind, row));
    checkNode(ctx, body);
    const isElsewhere = destinationOf(row) !== destinationOf(body);
    const removed = secretNames.filter((name) => patch[name] === null);
    assertSecrets(row, body, { isElsewhere, removed });
    const columns = keptOr(row, await sealedSecrets(ctx, at.id, body), removed);
    const changes = removed
      .filter((name) => row[name] !== null)
      .map((field) => ({ field, before: '***', after: null }));
    const isMoved = row.kind !== body.kind || row.farm_id !== body.farm_id;
    const { after: mustFit, ...inKind } = inOneKind(body.farm_id);
    const result = { body, columns: isElsewhere ? { ...columns, ...unprobed } : columns, changes };
    const isNewAccount = isElsewhere || body.account_password !== null;
    const dropped = (h: Db) => [
      ...(isElsewhere ? dropSessionsOf(h, at.id) : []),
      ...(isNewAccount ? [releaseLogins(h, at.id, originOf(body.url))] : []),
    ];
    if (!isMoved) return { ...result, after: dropped };
    return { ...result, ...inKind, after: (h: Db) => [...mustFit(h), ...dropped(h)] };
  });
}

const originOf = (url: string): string => new URL(url).origin;

/**
 * Lets the portal log in again at once, although the node has rejected its account.
 * @throws AppError `not_found`
 */
export async function releaseAccount(ctx: WebuiCtx, id: string): Promise<void> {
  const { name, url, account_hold } = await findRecord(ctx, kind, id);
  await atomically(ctx.deps.db, (h) => [
    releaseLogins(h, id, originOf(url)),
    appendAudit(
      h,
      auditEntry(ctx, {
        ...{ event: 'portal.EntityAction', category: 'config', action: 'unlock' },
        ...{ object_type: 'dispatcher', object_id: id, object_name: name },
        changes: [{ field: 'account_hold', before: account_hold?.reason ?? null, after: null }],
      }),
    ),
  ]);
}

type Row = Pick<Write, SecretName>;

/** @throws AppError `secret_required`, `invalid_request` */
function assertSecrets(
  row: Row,
  body: Write,
  { isElsewhere, removed }: { isElsewhere: boolean; removed: readonly SecretName[] },
): void {
  const lost = secretNames.filter((name) => isElsewhere && row[name] !== null && body[name] === null);
  const wanted = lost.filter((name) => !removed.includes(name) && mayHave(body.kind, name));
  const errors = wanted.map(
    (name): FieldError => ({
      ...{ pointer: `/${name}`, code: 'required', detail: 'The destination has changed' },
    }),
  );
  if (errors.length > 0) throw new AppError('secret_required', undefined, { errors });
  const isWithout =
    body.account_password === null && (row.account_password === null || removed.includes('account_password'));
  if (isWithout && isCapable(body.kind, 'service_account'))
    throw invalid({ pointer: '/account_password', code: 'required', detail: 'A value is required' });
}

const mayHave = (nodeKind: string, name: SecretName): boolean =>
  isCapable(nodeKind, name === 'health_key' ? 'health_key' : 'service_account');

/** The stored secrets, unless they are replaced, removed, or of no use for nodes of the kind. */
function keptOr(row: Row, next: Row, removed: readonly SecretName[]): Row {
  const of = (name: SecretName) => next[name] ?? (removed.includes(name) ? null : row[name]);
  return { health_key: of('health_key'), account_password: of('account_password') };
}

/**
 * Probe results belong to the previous destination. Its domains would otherwise determine which users have access
 * to the new one.
 */
const unprobed = {
  status: 'unknown',
  version: null,
  certificate: null,
  domains: null,
  domains_at: null,
  last_check_at: null,
  last_error: null,
  response_time_ms: null,
};

type Destination = Pick<
  Write,
  'url' | 'verify_tls' | 'ca_certificate' | 'name' | 'account_domain' | 'account_name'
> & { kind: string };
const destinationOf = (node: Destination): string =>
  JSON.stringify([
    ...[node.kind, spellingOf(node.url, 'node'), node.verify_tls, node.ca_certificate, node.name],
    ...[node.account_domain, node.account_name],
  ]);
