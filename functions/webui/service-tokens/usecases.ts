import type { z } from 'zod';
import { atomically } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import {
  addToken,
  findToken,
  mustBeService,
  type OwnerPath,
  revokeToken as revoke,
} from '../../../db/repositories/identity/service-tokens.ts';
import { users } from '../../../db/repositories/identity/users.ts';
import { auditEntry } from '../../../shared/context/audit-entry.ts';
import { isForProvisioning } from '../../../shared/context/permissions.ts';
import { ownerOf } from '../../../shared/context/principal.ts';
import { powerOver } from '../../../shared/context/privileges.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { domainTypeOf } from '../../../shared/identity/domains/registry.ts';
import {
  checkedEnd,
  draftToken,
  ServiceToken,
  type ServiceTokenWrite,
  storageError,
  tokenCreation,
  tokenRevocation,
} from '../../../shared/identity/service-tokens.ts';
import { conflict, notFound } from '../../../shared/kernel/errors.ts';
import { viewOf } from '../../../shared/shapes/views.ts';
import { base, type WebuiCtx } from '../deps.ts';

type Write = z.output<typeof ServiceTokenWrite>;
const view = viewOf(ServiceToken);

/**
 * Creates a token that acts for a service user. The caller must hold all permissions of the user and of the token,
 * because the token can be used with these permissions now and later.
 * @throws AppError `not_found`, `forbidden` with the missing permissions, `invalid_state` for a person and for the
 *   caller's own account, `already_exists`, `invalid_request` for an expiration time in the past or too far ahead
 */
export async function createToken(ctx: WebuiCtx, owner: OwnerPath, body: Write): Promise<Answer> {
  const { db } = ctx.deps;
  const expires_at = checkedEnd(body.expires_at, ctx.now);
  const user = await users.find(db, owner.userId, { scope: '*', parent: owner.domainId });
  if (!user) throw notFound();
  assertMayHaveTokens(ctx, user);
  assertProvisioned(user, body.permissions);
  const draft = draftToken(ctx, body, { expires_at, user_id: user.id, own: false });
  const audit = auditEntry(ctx, tokenCreation(draft, user.name));
  const power = powerOver(ctx, [{ user: user.id }]);
  await power
    .explained(() =>
      atomically(db, (h) => [
        mustBeService(h, user.id),
        ...power.before(h),
        addToken(h, draft.row),
        appendAudit(h, audit),
      ]),
    )
    .catch(async (error: unknown) => {
      throw await storageError(ctx, draft, error);
    });
  const location = `${base}/authenticators/${owner.domainId}/users/${user.id}/tokens/${draft.row.id}`;
  return new Answer({ ...view(draft.row), token: draft.token }, { headers: { location } });
}

/** @throws AppError `not_found`, `forbidden` with the permissions that the user has and the caller lacks */
export async function revokeToken(ctx: WebuiCtx, owner: OwnerPath, id: string): Promise<void> {
  const token = await findToken(ctx.deps.db, owner, id);
  if (!token) throw notFound();
  const power = powerOver(ctx, [{ user: owner.userId }]);
  const audit = auditEntry(ctx, tokenRevocation(token, token.user));
  await power.explained(() =>
    atomically(ctx.deps.db, (h) => [
      ...power.before(h),
      ...revoke(h, owner.userId, id),
      appendAudit(h, audit),
    ]),
  );
}

/** @throws AppError `invalid_state` for a token for provisioning, if identity providers do not maintain the domain */
function assertProvisioned({ domain_type }: { domain_type: string }, granted: readonly string[]): void {
  if (isForProvisioning(granted) && !domainTypeOf(domain_type).supports.provisioning)
    throw conflict('no_provisioning', 'The type of the domain does not support provisioning');
}

function assertMayHaveTokens(ctx: WebuiCtx, user: { id: string; kind: string }): void {
  // A token that could create further tokens would outlive its own expiration.
  if (user.id === ownerOf(ctx.principal).id)
    throw conflict('own_account', 'Tokens of your own account must be created by another administrator');
  if (user.kind !== 'service')
    throw conflict('no_service', 'Only users of the kind `service` can have tokens');
}
