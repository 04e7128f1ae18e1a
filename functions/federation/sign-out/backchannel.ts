import { atomically } from '../../../db/client.ts';
import { isUniqueViolation } from '../../../db/errors.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { endCredentials, theUser } from '../../../db/repositories/identity/access-revocation.ts';
import {
  endNamedSessions,
  findNamedUsers,
  type NamedSessions,
} from '../../../db/repositories/identity/login/providers.ts';
import { auditEntry } from '../../../shared/context/audit-entry.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { refusalOf } from '../../../shared/identity/providers/refusals.ts';
import { addSeconds } from '../../../shared/kernel/clock.ts';
import { sha256 } from '../../../shared/kernel/crypto/digests.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import { escapeControls } from '../../../shared/kernel/text.ts';
import { type LogoutToken, OidcError } from '../../../shared/remotes/oidc/port.ts';
import type { FederationDeps } from '../deps.ts';
import { findProvider, type Provider } from '../provider.ts';

type Ctx = RequestCtx<FederationDeps>;

/** Longer than any logout token is accepted. */
const usedForS = 86_400;

/**
 * Ends the sessions that a provider has ended (OpenID Connect Back-Channel Logout 1.0).
 * @throws AppError `malformed_request` for a token that is not valid or was used before, as the specification requires;
 *   `not_found`, `upstream_unavailable`
 */
export async function endByProvider(ctx: Ctx, id: string, token: string | undefined): Promise<void> {
  const { domain, client } = await findProvider(ctx, id);
  if (token === undefined) throw refused();
  const { issuer, sub, sid, jti } = await readToken(ctx, client, token);
  const named = { domainId: domain.id, issuer, sub, sid };
  const used = {
    digest: sha256(`logout ${domain.id} ${issuer} ${jti}`),
    keptUntil: addSeconds(ctx.now, usedForS),
  };
  const users = await findNamedUsers(ctx.deps.db, named);
  const events = users.map((user) => eventOf(ctx, domain.small_name, named, user));
  try {
    await atomically(ctx.deps.db, (h) => [
      ...endNamedSessions(h, named, used, ctx.now),
      ...users.flatMap(({ id }) => endCredentials(h, 'provider_log_out', { users: theUser(id) })),
      ...events.map((event) => appendAudit(h, event)),
    ]);
  } catch (error) {
    throw isUniqueViolation(error) ? refused() : error;
  }
}

async function readToken(ctx: Ctx, client: Provider['client'], token: string): Promise<LogoutToken> {
  try {
    return await ctx.deps.providers.readLogoutToken(client, token, ctx.gone());
  } catch (error) {
    if (!(error instanceof OidcError) || isOfConnection(error)) throw refusalOf(error);
    throw refused(error);
  }
}

const isOfConnection = ({ reason }: OidcError): boolean =>
  reason === 'unreachable' || reason === 'discovery' || reason === 'address_not_allowed';

const refused = (cause?: unknown): AppError =>
  new AppError('malformed_request', 'The logout token is not valid or was used before', {}, { cause });

type NamedUser = Awaited<ReturnType<typeof findNamedUsers>>[number];

const eventOf = (ctx: Ctx, domain: string, { sid }: NamedSessions, { id, name, sessions }: NamedUser) =>
  auditEntry(ctx, {
    event: 'portal.UserLogout',
    category: 'auth',
    user_name: escapeControls(name),
    user_id: id,
    domain,
    object_type: 'user',
    object_id: id,
    object_name: name,
    details: { by: 'provider', sessions, all: sid === undefined },
  });
