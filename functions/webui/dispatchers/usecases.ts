import type { z } from 'zod';
import { dropSessionsOf } from '../../../db/repositories/routing/dispatcher-sessions.ts';
import type { Target } from '../../../shared/http/records/crud-declarations.ts';
import { writableOf } from '../../../shared/http/records/kind.ts';
import { applyPatch } from '../../../shared/http/records/shapes.ts';
import { changeRecord, createRecord } from '../../../shared/http/records/writes.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import { AppError, type FieldError } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import type { WebuiCtx } from '../deps.ts';
import { checkAddress, sealedKey } from '../node-destination.ts';
import { dispatcherCrud } from './record.ts';
import { DispatcherWrite } from './schema.ts';

const { kind } = dispatcherCrud;
type Write = z.output<typeof DispatcherWrite>;

/** @throws AppError `invalid_request` for an address that the policy does not allow */
export async function createDispatcher(ctx: WebuiCtx, body: Write): Promise<Answer> {
  const id = newId();
  const checked = checkAddress(ctx, body);
  return createRecord(ctx, kind, checked, { id, columns: await sealedKey(ctx, id, body.health_key) });
}

export const replaceDispatcher = (ctx: WebuiCtx, at: Target, body: Write): Promise<Answer> =>
  change(ctx, at, () => body, false);

export const updateDispatcher = (
  ctx: WebuiCtx,
  at: Target,
  patch: Record<string, unknown>,
): Promise<Answer> =>
  change(ctx, at, (current) => applyPatch(DispatcherWrite, current, patch), patch.health_key === null);

/**
 * A stored key is used only for the destination that it was stored for. If the destination changes, the key must
 * be sent again, and session keys of the previous destination are deleted.
 * @param removesKey a merge patch removes the stored key with `null`; a replacement keeps it
 */
function change(
  ctx: WebuiCtx,
  at: Target,
  become: (current: Record<string, unknown>) => Write,
  removesKey: boolean,
): Promise<Answer> {
  return changeRecord(ctx, kind, at, async (row) => {
    const body = checkAddress(ctx, become(writableOf(kind, row)));
    const isElsewhere = destinationOf(row) !== destinationOf(body);
    const storedKey = removesKey ? null : row.health_key;
    if (isElsewhere && storedKey !== null && body.health_key === null) {
      const missing: FieldError = {
        pointer: '/health_key',
        code: 'required',
        detail: 'The destination has changed',
      };
      throw new AppError('secret_required', undefined, { errors: [missing] });
    }
    const columns =
      body.health_key === null ? { health_key: storedKey } : await sealedKey(ctx, at.id, body.health_key);
    const changes =
      removesKey && row.health_key !== null ? [{ field: 'health_key', before: '***', after: null }] : [];
    if (!isElsewhere) return { body, columns, changes };
    return { body, columns: { ...columns, ...unprobed }, changes, after: (h) => dropSessionsOf(h, at.id) };
  });
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

type Destination = Pick<Write, 'url' | 'verify_tls' | 'ca_certificate' | 'name'> & { kind: string };
const destinationOf = ({ kind, url, verify_tls, ca_certificate, name }: Destination): string =>
  JSON.stringify([kind, url, verify_tls, ca_certificate, name]);
