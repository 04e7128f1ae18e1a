import { atomically } from '../../../db/client.ts';
import { addPendingLogin, findPendingLogin } from '../../../db/repositories/identity/login/providers.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import type { LoginOptions } from '../../../shared/identity/login/account.ts';
import { challengeLifeS } from '../../../shared/identity/second-factor/challenges.ts';
import { addSeconds } from '../../../shared/kernel/clock.ts';
import { randomToken, sha256 } from '../../../shared/kernel/crypto/digests.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import type { ProviderLogin } from '../../../shared/remotes/oidc/port.ts';
import type { FederationDeps } from '../deps.ts';

type Ctx = RequestCtx<FederationDeps>;

/** A login that the provider has accepted, and that needs a second factor of the portal. */
export type PendingLogin = { login: ProviderLogin; options: LoginOptions };

const name = '__Host-provider-login';
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict';

const placeOf = (row: string) => ({ table: 'provider_logins', row, column: 'sealed_state' });

/** The value of `Set-Cookie` after the login. */
export const withoutPendingLogin = `${name}=; ${attributes}; Max-Age=0`;

/** Stores a login until its second factor. @returns the value of `Set-Cookie` that identifies it */
export async function waitForFactor(ctx: Ctx, domainId: string, pending: PendingLogin): Promise<string> {
  const token = randomToken();
  const token_hash = sha256(token);
  const row = {
    token_hash,
    authenticator_id: domainId,
    sealed_state: await ctx.deps.sealer.seal(JSON.stringify(pending), placeOf(token_hash)),
    expires_at: addSeconds(ctx.now, challengeLifeS),
  };
  await atomically(ctx.deps.db, (h) => addPendingLogin(h, row, ctx.now));
  return `${name}=${token}; ${attributes}; Max-Age=${challengeLifeS}`;
}

/**
 * The login of this browser that waits for a second factor. It stays until it succeeds or expires.
 * @throws AppError `login_expired`
 */
export async function pendingLoginOf(ctx: Ctx) {
  const token = ctx.client.cookies().get(name) ?? '';
  const row = token === '' ? undefined : await findPendingLogin(ctx.deps.db, sha256(token), ctx.now);
  if (!row) throw new AppError('login_expired');
  const text = await ctx.deps.sealer.open(row.sealed_state, placeOf(row.token_hash));
  const pending: PendingLogin = JSON.parse(text);
  return { ...pending, tokenHash: row.token_hash, domainId: row.authenticator_id, begunAt: row.begun_at };
}
