import type { z } from 'zod';
import { atomically } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit.ts';
import { findOwnAccount, setOwnLanguage } from '../../../db/repositories/own-account.ts';
import { permissionsOf, widestScope } from '../../../shared/access/actor.ts';
import { changesBetween, entityAction } from '../../../shared/http/audit-entry.ts';
import { notFound } from '../../../shared/kernel/errors.ts';
import type { Language } from '../../../shared/kernel/languages.ts';
import type { UserinfoCtx } from '../deps.ts';
import type { Userinfo } from './schema.ts';

export async function describeCaller({
  deps,
  actor,
  client,
}: UserinfoCtx): Promise<z.input<typeof Userinfo>> {
  const { user, domain, session } = actor;
  const account = await findOwnAccount(deps.db, { userId: user.id, domainId: domain.id });
  if (!account) throw notFound();
  const scope = widestScope(actor);
  return {
    id: user.id,
    name: user.name,
    real_name: user.realName,
    email: account.email,
    domain: { uuid: domain.id, name: domain.name, small_name: domain.label },
    portal: session.portal,
    roles: actor.roles.map(({ id, name }) => ({ id, name })),
    permissions: permissionsOf(actor),
    scope: { sites: scope === '*' ? '*' : [...scope] },
    groups: account.groups,
    sites: account.sites,
    language: user.language,
    must_change_password: user.mustChangePassword,
    ip: client.ip,
    session: {
      created_at: session.createdAt.toISOString(),
      expires_at: session.expiresAt.toISOString(),
      idle_expires_at: session.idleExpiresAt.toISOString(),
    },
    last_login_at: account.lastLoginAt?.toISOString() ?? null,
  };
}

/** An absent member changes nothing, but is a write like any other: it answers, and leaves its event. */
export async function changeLanguage(
  ctx: UserinfoCtx,
  { language: wanted }: { language?: Language | null },
): Promise<z.input<typeof Userinfo>> {
  const { user } = ctx.actor;
  const language = wanted === undefined ? user.language : wanted;
  const object = { type: 'user' as const, id: user.id, name: user.name };
  const changes = changesBetween({ language: user.language }, { language });
  const audit = entityAction(ctx, 'update', object, changes);
  await atomically(ctx.deps.db, (h) => [
    ...(wanted === undefined ? [] : [setOwnLanguage(h, user.id, wanted)]),
    appendAudit(h, audit),
  ]);
  return describeCaller({ ...ctx, actor: { ...ctx.actor, user: { ...user, language } } });
}
