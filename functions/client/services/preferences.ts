import type { z } from 'zod';
import { atomically } from '../../../db/client.ts';
import { raisedByMust } from '../../../db/errors.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { findOfferedService } from '../../../db/repositories/routing/offered-service.ts';
import { storePreference } from '../../../db/repositories/routing/service-preferences.ts';
import { auditEntry, changesBetween } from '../../../shared/context/audit-entry.ts';
import { conflict, notFound } from '../../../shared/kernel/errors.ts';
import type { UserCtx } from '../../../shared/sites/user-site.ts';
import { parseServiceId, serviceIdText } from '../service-ids.ts';
import type { PreferencesChange, ServicePreferences } from './schema.ts';

/**
 * Changes the caller's preferences for a service. A request without changes is still a write: it returns the preferences
 * and writes an audit event.
 * @throws AppError `not_found` for a service that does not belong to the site, and for a site that the caller cannot use;
 *   `invalid_state` if the caller has too many favourites
 */
export async function changePreferences(
  ctx: UserCtx,
  uri: string,
  text: string,
  body: z.output<typeof PreferencesChange>,
): Promise<z.input<typeof ServicePreferences>> {
  const { user, domain } = ctx.principal;
  const service = parseServiceId(text);
  const id = serviceIdText(service);
  const who = { userId: user.id, domainId: domain.id };
  const found = await findOfferedService(ctx.deps.db, { uri, who, service, serviceId: id });
  if (!found) throw notFound();
  const { favourite = false, launch = null, last_used_at: lastUse = null } = found.preference ?? {};
  const change = withDefaults(body);
  const after = { favourite, launch, ...change };
  const audit = auditEntry(ctx, {
    event: 'portal.EntityAction',
    category: 'config',
    action: 'update',
    object_type: 'service',
    object_id: id,
    object_name: found.name ?? id,
    details: { site: uri },
    changes: changesBetween({ favourite, launch }, after),
  });
  const key = { userId: user.id, siteId: found.site_id, serviceId: id };
  await atomically(ctx.deps.db, (h) => [
    ...(Object.keys(change).length > 0 ? storePreference(h, key, change) : []),
    appendAudit(h, audit),
  ]).catch(explainLimit);
  return { id, ...after, last_used_at: lastUse === null ? null : new Date(lastUse).toISOString() };
}

/** Without absent members. `null` sets a member to its default. */
const withDefaults = ({ favourite, launch }: z.output<typeof PreferencesChange>) => ({
  ...(favourite !== undefined && { favourite: favourite ?? false }),
  ...(launch !== undefined && { launch }),
});

function explainLimit(error: unknown): never {
  if (raisedByMust(error)?.reason !== 'too_many_favourites') throw error;
  throw conflict('too_many_favourites', 'A user can have at most 500 favourites');
}
