import { findProviderSession } from '../../../db/repositories/identity/login/providers.ts';
import type { UserPrincipal } from '../../../shared/context/principal.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { noCookie } from '../../../shared/http/pages/own-pages.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { logOut } from '../../../shared/identity/log-out.ts';
import { idTokenOf } from '../../../shared/identity/providers/account.ts';
import { randomToken, sameText } from '../../../shared/kernel/crypto/digests.ts';
import type { FederationDeps } from '../deps.ts';
import { providerOf, signedOutOf } from '../provider.ts';
import { providerMark } from '../provider-mark.ts';

type UserCtx = RequestCtx<FederationDeps, UserPrincipal>;

const name = '__Host-oidc-logout';
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Lax';
/** Seconds in which the provider must return the browser. */
const lifeS = 600;

const signedOutPage = '/signin?step=signed_out';

/**
 * Ends the session of the browser, and returns the page to open next: that of the provider which ends its session as
 * well, or the sign-in page. The portal has ended its session even if the provider is unreachable.
 */
export async function signOut(ctx: UserCtx): Promise<Answer> {
  const found = await findProviderSession(ctx.deps.db, ctx.principal.session.id);
  const { result } = await logOut(ctx);
  const state = randomToken();
  const location = found && (await logoutAddress(ctx, found, state));
  const ended = [noCookie, providerMark.removed];
  if (location === undefined) return new Answer({ result, location: signedOutPage }, { cookies: ended });
  const waiting = `${name}=${state}; ${attributes}; Max-Age=${lifeS}`;
  return new Answer({ result, location }, { cookies: [...ended, waiting] });
}

type Found = NonNullable<Awaited<ReturnType<typeof findProviderSession>>>;

/** Undefined if the domain does not end the session at the provider, or the provider cannot. */
async function logoutAddress(
  ctx: UserCtx,
  { session, domain }: Found,
  state: string,
): Promise<string | undefined> {
  if (session.sealed_id_token === null) return undefined;
  try {
    const { client, rules } = await providerOf(ctx, domain);
    if (!rules.logsOut) return undefined;
    const idToken = await ctx.deps.sealer.open(session.sealed_id_token, idTokenOf(session.session_id));
    const postLogoutRedirectUri = signedOutOf(ctx);
    return await ctx.deps.providers.logoutUrl(client, { idToken, postLogoutRedirectUri, state }, ctx.gone());
  } catch (error) {
    ctx.log.warn('the session at the identity provider was not ended', {
      request_id: ctx.requestId,
      domain: domain.small_name,
      error,
    });
    return undefined;
  }
}

/** Opens the sign-in page after the provider has ended its session. Only an answer to this browser says so there. */
export function showSignedOut(ctx: RequestCtx<FederationDeps>, state: string | undefined): Answer {
  const expected = ctx.client.cookies().get(name);
  const isOwn = expected !== undefined && state !== undefined && sameText(expected, state);
  return new Answer(undefined, {
    status: 302,
    headers: { location: isOwn ? signedOutPage : '/signin' },
    cookies: isOwn ? [`${name}=; ${attributes}; Max-Age=0`] : [],
  });
}
