import type { z } from 'zod';
import { authenticators } from '../../../db/repositories/authenticators.ts';
import { findRegisteredGroups } from '../../../db/repositories/directory-accounts.ts';
import { findGroups } from '../../../shared/identity/directory/group-search.ts';
import { groupKeys, registration } from '../../../shared/identity/directory/registered-groups.ts';
import { listingMs, withinDirectory } from '../../../shared/identity/directory/settings.ts';
import { conflict, notFound } from '../../../shared/kernel/errors.ts';
import { foldName } from '../../../shared/kernel/text.ts';
import type { WebuiCtx } from '../deps.ts';
import type { ExternalGroup, ExternalQuery } from './schema.ts';

/**
 * Groups of a directory by name, whether registered or not.
 * @throws AppError `not_found`, `invalid_state` for a domain without a directory, those of the directory
 */
export async function listExternalGroups(
  ctx: WebuiCtx,
  domainId: string,
  { search, limit }: z.output<typeof ExternalQuery>,
): Promise<z.input<typeof ExternalGroup>[]> {
  const domain = await authenticators.find(ctx.deps.db, domainId, { scope: ctx.scope });
  if (!domain) throw notFound();
  if (domain.type === 'internal') throw conflict('no_directory', 'An internal domain has no directory');
  const all = await withinDirectory(
    ctx.deps,
    domain,
    (session, params) => findGroups(session, params, search.trim()),
    listingMs,
  );
  const some = all
    .map((group) => ({ ...group, key: foldName(group.name) }))
    .sort((a, b) => (a.key < b.key || (a.key === b.key && a.dn < b.dn) ? -1 : 1))
    .slice(0, limit);
  const registered = await findRegisteredGroups(ctx.deps.db, domainId, groupKeys(some));
  const isRegistered = registration(registered);
  return some.map((group) => ({
    id: group.dn,
    name: group.name,
    registered: isRegistered(group),
  }));
}
