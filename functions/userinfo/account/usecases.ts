import type { z } from 'zod';
import { atomically } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { forgetLocale } from '../../../db/repositories/identity/login/sessions.ts';
import { findOwnAccount, setOwnLanguage } from '../../../db/repositories/identity/own-account.ts';
import { changesBetween, entityAction } from '../../../shared/context/audit-entry.ts';
import type { AccountPrincipal, Session } from '../../../shared/context/principal.ts';
import { permissionsOf, widestScope } from '../../../shared/context/rights.ts';
import { domainTypeOf } from '../../../shared/identity/domains/registry.ts';
import { notFound } from '../../../shared/kernel/errors.ts';
import type { Language } from '../../../shared/messages/languages.ts';
import type { UserinfoCtx } from '../deps.ts';
import type { Userinfo } from './schema.ts';

type OwnAccount = NonNullable<Awaited<ReturnType<typeof findOwnAccount>>>;

export async function describeCaller({
  deps,
  principal,
  client,
}: UserinfoCtx): Promise<z.input<typeof Userinfo>> {
  const { user, domain, portal } = principal;
  const ends = endsOf(principal);
  const account = await findOwnAccount(deps.db, { userId: user.id, domainId: domain.id });
  if (!account) throw notFound();
  const scope = widestScope(principal);
  return {
    id: user.id,
    name: user.name,
    real_name: user.realName,
    email: account.email,
    domain: {
      ...{ uuid: domain.id, name: domain.name, small_name: domain.label },
      flow: domainTypeOf(account.domainType).login.proof,
    },
    portal,
    roles: principal.roles.map(({ id, name }) => ({ id, name })),
    permissions: permissionsOf(principal),
    scope: { sites: scope === '*' ? '*' : [...scope] },
    groups: account.groups,
    sites: account.sites,
    language: user.language,
    must_change_password: user.mustChangePassword,
    has_password: account.hasPassword,
    two_factor: twoFactorOf(account),
    ip: client.ip,
    session: {
      created_at: ends.createdAt.toISOString(),
      expires_at: ends.expiresAt.toISOString(),
      idle_expires_at: ends.idleExpiresAt.toISOString(),
    },
    last_login_at: account.lastLoginAt?.toISOString() ?? null,
  };
}

const twoFactorOf = ({ hasDevice, hasPasskey, needsFactor }: OwnAccount) => ({
  enrolled: hasDevice || hasPasskey,
  methods: [...(hasDevice ? ['totp' as const] : []), ...(hasPasskey ? ['passkey' as const] : [])],
  required: needsFactor,
});

/** A service token has no idle timeout. */
const endsOf = (principal: AccountPrincipal): Pick<Session, 'createdAt' | 'expiresAt' | 'idleExpiresAt'> =>
  principal.kind === 'user'
    ? principal.session
    : { ...principal.token, idleExpiresAt: principal.token.expiresAt };

/** A request without changes is still a write: it returns the profile and writes an audit event. */
export async function changeLanguage(
  ctx: UserinfoCtx,
  { language: newLanguage }: { language?: Language | null },
): Promise<z.input<typeof Userinfo>> {
  const { principal } = ctx;
  const { user } = principal;
  const language = newLanguage === undefined ? user.language : newLanguage;
  const object = { type: 'user' as const, id: user.id, name: user.name };
  const changes = changesBetween({ language: user.language }, { language });
  const audit = entityAction(ctx, 'update', object, changes);
  await atomically(ctx.deps.db, (h) => [
    ...(newLanguage === undefined ? [] : [setOwnLanguage(h, user.id, newLanguage)]),
    // The language of the login would have precedence in this session.
    ...(newLanguage === undefined || principal.kind !== 'user'
      ? []
      : [forgetLocale(h, principal.session.id)]),
    appendAudit(h, audit),
  ]);
  return describeCaller({ ...ctx, principal: { ...ctx.principal, user: { ...user, language } } });
}
