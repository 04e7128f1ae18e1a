import type { z } from 'zod';
import { atomically } from '../../../db/client.ts';
import { raisedByMust } from '../../../db/errors.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import {
  addToken,
  findToken,
  mustMayOwnToken,
  revokeToken,
} from '../../../db/repositories/identity/service-tokens.ts';
import { auditEntry } from '../../../shared/context/audit-entry.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { proveOwner } from '../../../shared/identity/second-factor/owner-proof.ts';
import { OwnerProof } from '../../../shared/identity/second-factor/proof-shapes.ts';
import {
  checkedEnd,
  draftToken,
  ServiceToken,
  ServiceTokenWrite,
  storageError,
  tokenCreation,
  tokenRevocation,
} from '../../../shared/identity/service-tokens.ts';
import { AppError, conflict, notFound } from '../../../shared/kernel/errors.ts';
import { viewOf } from '../../../shared/shapes/views.ts';
import { base, type LoginCtx } from '../deps.ts';

const view = viewOf(ServiceToken);

export const OwnTokenWrite = ServiceTokenWrite.extend({
  proof: OwnerProof.describe(
    'The proof that the caller is present: `password` with `code`, or `fresh_sign_in` for users of identity providers.',
  ),
});

/**
 * Creates a token that acts for the caller, who must prove the identity again: a stolen session would otherwise live on in it.
 * @throws AppError `forbidden` if the installation does not allow it, or with the permissions that the caller lacks;
 *   `already_exists`, `invalid_request`; `invalid_state` if the caller has too many tokens
 */
export async function createOwnToken(
  ctx: LoginCtx,
  { proof, ...body }: z.output<typeof OwnTokenWrite>,
): Promise<Answer> {
  if (!ctx.parameters['service_tokens.own'])
    throw new AppError('forbidden', 'This installation does not allow own service tokens');
  const { user, session } = ctx.principal;
  const expires_at = checkedEnd(body.expires_at, ctx.now);
  const draft = draftToken(ctx, body, { expires_at, user_id: user.id, own: true });
  const audit = auditEntry(ctx, tokenCreation(draft, user.name));
  const { statements } = await proveOwner(ctx, proof);
  await atomically(ctx.deps.db, (h) => [
    ...statements(h),
    ...mustMayOwnToken(h, user.id, session.id),
    addToken(h, draft.row),
    appendAudit(h, audit),
  ]).catch(async (error: unknown) => {
    throw raisedByMust(error)?.reason === 'too_many_tokens'
      ? tooMany()
      : await storageError(ctx, draft, error);
  });
  const location = `${base}/service_tokens/${draft.row.id}`;
  return new Answer({ ...view(draft.row), token: draft.token }, { headers: { location } });
}

const tooMany = (): AppError => conflict('too_many_tokens', 'A user can have at most 50 own service tokens');

/** @throws AppError `not_found` also for a token of another user */
export async function revokeOwnToken(ctx: LoginCtx, id: string): Promise<void> {
  const { user, domain } = ctx.principal;
  const token = await findToken(ctx.deps.db, { domainId: domain.id, userId: user.id }, id);
  if (!token) throw notFound();
  const audit = auditEntry(ctx, tokenRevocation(token, user.name));
  await atomically(ctx.deps.db, (h) => [...revokeToken(h, user.id, id), appendAudit(h, audit)]);
}
