import type { z } from 'zod';
import { findDomain } from '../../../db/repositories/identity/authenticators.ts';
import { findRegisteredGroups } from '../../../db/repositories/identity/directory/accounts.ts';
import { nextLink } from '../../../shared/http/declare/list.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import {
  groupKeys,
  isRegisteredIn,
} from '../../../shared/identity/domains/directory/groups/registered-groups.ts';
import { domainTypeOf } from '../../../shared/identity/domains/registry.ts';
import { openCursor, type Position, sealCursor } from '../../../shared/kernel/cursor.ts';
import { conflict, notFound } from '../../../shared/kernel/errors.ts';
import { foldName } from '../../../shared/kernel/text.ts';
import type { WebuiCtx } from '../deps.ts';
import type { ExternalGroup, ExternalQuery } from './schema.ts';

/**
 * One page of the groups of a directory by name, registered or not. LDAP paging is bound to one connection (RFC
 * 2696), so each page reads the directory again and the cursor is the last name.
 * @throws AppError `not_found`, `invalid_state` for a domain without a directory, `malformed_cursor`, directory
 *   errors
 */
export async function listExternalGroups(
  ctx: WebuiCtx,
  domainId: string,
  query: z.output<typeof ExternalQuery>,
): Promise<Answer> {
  const { search, limit, cursor } = query;
  const list = {
    resource: ctx.operation.id,
    filters: { search, parent: domainId },
    sort: 'name',
    scope: ctx.scope,
  };
  const after = cursor === undefined ? undefined : await openCursor(ctx.deps.cursorSealer, list, cursor);
  const domain = await findDomain(ctx.deps.db, domainId);
  if (!domain) throw notFound();
  const { directory } = domainTypeOf(domain.type);
  if (!directory) throw conflict('no_directory', 'The domain has no directory');
  const all = await directory.findGroups(ctx.deps, domain, search);
  const rest = all
    .map((group) => ({ ...group, key: foldName(group.name), id: group.dn }))
    .filter((group) => after === undefined || compare(group, after) > 0)
    .sort(compare);
  const some = rest.slice(0, limit);
  const last = rest.length > limit ? some.at(-1) : undefined;
  const registered = await findRegisteredGroups(ctx.deps.db, domainId, groupKeys(some));
  const isRegistered = isRegisteredIn(registered);
  const items: z.input<typeof ExternalGroup>[] = some.map((group) => ({
    id: group.dn,
    name: group.name,
    registered: isRegistered(group),
  }));
  if (!last) return new Answer(items);
  const next = await sealCursor(ctx.deps.cursorSealer, list, { key: last.key, id: last.id });
  return new Answer(items, { headers: { link: nextLink(query, next) } });
}

type Place = Pick<Position, 'key' | 'id'>;

const compare = (a: Place, b: Place): number => order(String(a.key), String(b.key)) || order(a.id, b.id);
const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
