import type { z } from 'zod';
import { atomically } from '../../../db/client.ts';
import { isUniqueViolation } from '../../../db/errors.ts';
import { type AuditEntry, appendAudit } from '../../../db/repositories/audit/events.ts';
import {
  addToken,
  findToken,
  findTokenId,
  mustBeService,
  type NewToken,
  type OwnerPath,
  revokeToken as revoke,
} from '../../../db/repositories/identity/service-tokens.ts';
import { users } from '../../../db/repositories/identity/users.ts';
import { newServiceToken } from '../../../shared/access/service-tokens.ts';
import { auditEntry, changesBetween } from '../../../shared/context/audit-entry.ts';
import type { Permission } from '../../../shared/context/permissions.ts';
import { ownerOf } from '../../../shared/context/principal.ts';
import { powerOver } from '../../../shared/context/privileges.ts';
import { scopeOf } from '../../../shared/context/rights.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { addSeconds } from '../../../shared/kernel/clock.ts';
import { sha256 } from '../../../shared/kernel/crypto/digests.ts';
import { AppError, conflict, type FieldError, invalid, notFound } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { escapeControls, foldName } from '../../../shared/kernel/text.ts';
import type { Detail } from '../../../shared/messages/message.ts';
import { viewOf } from '../../../shared/shapes/views.ts';
import { base, type WebuiCtx } from '../deps.ts';
import { ServiceToken, type ServiceTokenWrite } from './schema.ts';

type Write = z.output<typeof ServiceTokenWrite>;
const view = viewOf(ServiceToken);
const longestLifeS = 366 * 86_400;

/**
 * Creates a token that acts for a service user. The caller must hold all permissions of the user and of the token,
 * because the token can be used with these permissions now and later.
 * @throws AppError `not_found`, `forbidden` with the missing permissions, `invalid_state` for a person and for the
 *   caller's own account, `already_exists`, `invalid_request` for an expiration time in the past or too far ahead
 */
export async function createToken(ctx: WebuiCtx, owner: OwnerPath, body: Write): Promise<Answer> {
  const { deps, now } = ctx;
  const expires_at = checkedEnd(body.expires_at, now);
  const user = await users.find(deps.db, owner.userId, { scope: '*', parent: owner.domainId });
  if (!user) throw notFound();
  assertMayHaveTokens(ctx, user);
  const scopes = scopesOf(ctx, body.permissions);
  const token = newServiceToken();
  const row: NewToken = {
    id: newId(),
    user_id: user.id,
    name: body.name,
    name_key: foldName(body.name),
    token_hash: sha256(token),
    permissions: body.permissions,
    scopes,
    created_at: now,
    expires_at,
  };
  const audit = auditEntry(ctx, {
    event: 'portal.EntityAction',
    category: 'config',
    action: 'create',
    ...objectOf(row, user.name),
    changes: changesBetween({}, { ...body, expires_at: expires_at.toISOString() }),
  });
  await add(ctx, row, audit);
  const location = `${base}/authenticators/${owner.domainId}/users/${user.id}/tokens/${row.id}`;
  return new Answer({ ...view(row), token }, { headers: { location } });
}

/** @throws AppError `not_found`, `forbidden` with the permissions that the user has and the caller lacks */
export async function revokeToken(ctx: WebuiCtx, owner: OwnerPath, id: string): Promise<void> {
  const token = await findToken(ctx.deps.db, owner, id);
  if (!token) throw notFound();
  const power = powerOver(ctx, [{ user: owner.userId }]);
  const audit = auditEntry(ctx, {
    event: 'portal.TokenRevoked',
    category: 'auth',
    action: 'delete',
    ...objectOf(token, token.user),
  });
  await power.explained(() =>
    atomically(ctx.deps.db, (h) => [...power.before(h), ...revoke(h, id), appendAudit(h, audit)]),
  );
}

/** @throws AppError `invalid_request` */
function checkedEnd(expiresAt: string, now: Date): Date {
  const end = new Date(expiresAt);
  const refuse = (code: string, detail: Detail) => invalid({ pointer: '/expires_at', code, detail });
  if (!(end > now)) throw refuse('too_early', 'Must be in the future');
  if (end > addSeconds(now, longestLifeS)) throw refuse('too_late', 'Must be at most 366 days from now');
  return end;
}

function assertMayHaveTokens(ctx: WebuiCtx, user: { id: string; kind: string }): void {
  // A token that could create further tokens would outlive its own expiration.
  if (user.id === ownerOf(ctx.principal).id)
    throw conflict('own_account', 'Tokens of your own account must be created by another administrator');
  if (user.kind !== 'service')
    throw conflict('no_service', 'Only users of the kind `service` can have tokens');
}

/**
 * The sites for which the creator holds each permission. The service user may receive further permissions later
 * and the token with it, so the creator must hold all permissions of the token, and its scope is limited to the
 * scope of the creator.
 */
function scopesOf(ctx: WebuiCtx, permissions: readonly Permission[]): NewToken['scopes'] {
  const scopes = permissions.map((permission) => [permission, scopeOf(ctx.principal, permission)] as const);
  const missing = scopes.filter(([, scope]) => scope === undefined).map(([permission]) => permission);
  if (missing.length > 0)
    throw new AppError('forbidden', 'Callers can grant only permissions that they have', { missing });
  return Object.fromEntries(
    scopes.map(([permission, scope = []]) => [permission, scope === '*' ? scope : [...scope]]),
  );
}

async function add(ctx: WebuiCtx, row: NewToken, audit: AuditEntry): Promise<void> {
  const power = powerOver(ctx, [{ user: row.user_id }]);
  try {
    await power.explained(() =>
      atomically(ctx.deps.db, (h) => [
        mustBeService(h, row.user_id),
        ...power.before(h),
        addToken(h, row),
        appendAudit(h, audit),
      ]),
    );
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const existing_id = await findTokenId(ctx.deps.db, row.user_id, row.name_key);
    const errors: FieldError[] = [
      { pointer: '/name', code: 'already_exists', detail: 'The user already has a token with this name' },
    ];
    throw new AppError(
      'already_exists',
      undefined,
      { errors, ...(existing_id && { existing_id }) },
      { cause: error },
    );
  }
}

/** The token and its user as the object of an audit event. */
const objectOf = ({ id, name }: { id: string; name: string }, user: string) => ({
  object_type: 'service_token' as const,
  object_id: id,
  object_name: name,
  details: { user: escapeControls(user) },
});
