import { z } from 'zod';
import { isUniqueViolation } from '../../db/errors.ts';
import { findTokenId, type NewToken } from '../../db/repositories/identity/service-tokens.ts';
import { newServiceToken } from '../access/service-tokens.ts';
import { type AuditFields, changesBetween } from '../context/audit-entry.ts';
import type { BaseDeps, Ctx } from '../context/context.ts';
import { isForProvisioning, type Permission, permissions } from '../context/permissions.ts';
import type { SignedIn } from '../context/principal.ts';
import { scopeOf } from '../context/rights.ts';
import { addSeconds } from '../kernel/clock.ts';
import { sha256 } from '../kernel/crypto/digests.ts';
import { AppError, type FieldError, invalid } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { escapeControls, foldName } from '../kernel/text.ts';
import type { Detail } from '../messages/message.ts';
import { Id, Moment, PlainName } from '../shapes/fields.ts';
import { listQuery } from '../shapes/list.ts';

const Permissions = z
  .array(z.enum(permissions).meta({ example: 'sites.read' }))
  .max(permissions.length)
  .transform((ids) => [...new Set(ids)].sort());

export const ServiceTokenWrite = z.strictObject({
  name: PlainName.meta({ example: 'Nightly report' }).describe('Name of the token, unique for its user.'),
  expires_at: z.iso
    .datetime({ offset: true })
    .max(40)
    .meta({ example: '2026-11-21T08:30:00.000Z' })
    .describe('Expiration time of the token, at most 366 days from now.'),
  permissions: Permissions.describe(
    'Permissions of the token. A request has only those permissions that the user currently holds as well.',
  ),
});

export const ServiceToken = z.strictObject({
  id: Id.describe('Identifier of the token. Set by the portal.'),
  name: z.string().describe('Name of the token.'),
  permissions: z
    .array(z.string())
    .describe(
      'Permissions of the token. A request has only those permissions that the user currently holds as well.',
    ),
  created_at: Moment.describe('When the token was created.'),
  expires_at: Moment.describe('Expiration time of the token.'),
  last_seen_at: Moment.nullable().describe(
    'When the token was last used, recorded at most once a minute. Null before the first use.',
  ),
  own: z.boolean().describe('True if the user created the token, false if an administrator did.'),
});

export const NewServiceToken = ServiceToken.extend({
  token: z.string().describe('The token, for the header `X-Auth-Token`. Returned once.'),
});

export const ServiceTokensQuery = listQuery(['name', 'created_at', 'expires_at'], {});

type Creator = Ctx<BaseDeps, SignedIn>;
type Write = z.output<typeof ServiceTokenWrite>;

const longestLifeS = 366 * 86_400;

/** A new token: its row, and the secret, which is not stored. */
export type DraftToken = { row: NewToken; token: string };

/**
 * Creates a token that acts for a user, without storing it.
 * @param expires_at from `checkedEnd`
 * @throws AppError `forbidden` with the permissions that the caller lacks
 */
export function draftToken(
  ctx: Creator,
  { name, permissions: granted }: Write,
  { expires_at, user_id, own }: Pick<NewToken, 'expires_at' | 'user_id' | 'own'>,
): DraftToken {
  assertProvisioning(ctx, granted, own);
  const scopes = scopesOf(ctx, granted);
  const token = newServiceToken();
  const row: NewToken = {
    ...{ id: newId(), user_id, name, name_key: foldName(name), token_hash: sha256(token) },
    ...{ permissions: granted, scopes, created_at: ctx.now, expires_at, own },
  };
  return { row, token };
}

/**
 * A token for provisioning can deactivate every account of its domain, so its creator must hold every permission. It has no
 * other permission.
 */
function assertProvisioning(
  { principal }: Creator,
  granted: readonly Permission[],
  own: boolean | undefined,
): void {
  if (!isForProvisioning(granted)) return;
  const refuse = (code: string, detail: Detail) => invalid({ pointer: '/permissions', code, detail });
  if (own) throw refuse('not_allowed', 'Only administrators create tokens for provisioning');
  if (granted.length > 1) throw refuse('not_alone', 'A token for provisioning has no other permission');
  const missing = permissions.filter((permission) => scopeOf(principal, permission) !== '*');
  if (missing.length > 0)
    throw new AppError('forbidden', 'Tokens for provisioning require every permission for all sites', {
      missing: missing.sort(),
    });
}

/** @throws AppError `invalid_request` for an expiration time in the past or too far ahead */
export function checkedEnd(expiresAt: string, now: Date): Date {
  const end = new Date(expiresAt);
  const refuse = (code: string, detail: Detail) => invalid({ pointer: '/expires_at', code, detail });
  if (!(end > now)) throw refuse('too_early', 'Must be in the future');
  if (end > addSeconds(now, longestLifeS)) throw refuse('too_late', 'Must be at most 366 days from now');
  return end;
}

/**
 * The sites for which the creator holds each permission. The user may receive further permissions later and the token
 * with it, so the creator must hold all permissions of the token, and its scope is limited to the scope of the creator.
 */
function scopesOf(ctx: Creator, granted: readonly Permission[]): NewToken['scopes'] {
  const scopes = granted.map((permission) => [permission, scopeOf(ctx.principal, permission)] as const);
  const missing = scopes.filter(([, scope]) => scope === undefined).map(([permission]) => permission);
  if (missing.length > 0)
    throw new AppError('forbidden', 'Callers can grant only permissions that they have', { missing });
  return Object.fromEntries(
    scopes.map(([permission, scope = []]) => [permission, scope === '*' ? scope : [...scope]]),
  );
}

/** The members of the audit event of a new token. */
export const tokenCreation = ({ row }: DraftToken, user: string): AuditFields => ({
  event: 'portal.EntityAction',
  category: 'config',
  action: 'create',
  ...objectOf(row, user),
  changes: changesBetween(
    {},
    { name: row.name, expires_at: row.expires_at.toISOString(), permissions: row.permissions },
  ),
});

/** The members of the audit event of a revocation. */
export const tokenRevocation = (token: { id: string; name: string }, user: string): AuditFields => ({
  event: 'portal.TokenRevoked',
  category: 'auth',
  action: 'delete',
  ...objectOf(token, user),
});

/** The token and its user as the object of an audit event. */
const objectOf = ({ id, name }: { id: string; name: string }, user: string) => ({
  object_type: 'service_token' as const,
  object_id: id,
  object_name: name,
  details: { user: escapeControls(user) },
});

/** The error for the caller if a token could not be stored: `already_exists`, or the error itself. */
export async function storageError({ deps }: Creator, { row }: DraftToken, error: unknown): Promise<unknown> {
  if (!isUniqueViolation(error)) return error;
  const existing_id = await findTokenId(deps.db, row.user_id, row.name_key);
  const errors: FieldError[] = [
    { pointer: '/name', code: 'already_exists', detail: 'The user already has a token with this name' },
  ];
  return new AppError(
    'already_exists',
    undefined,
    { errors, ...(existing_id && { existing_id }) },
    { cause: error },
  );
}
