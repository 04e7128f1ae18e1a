import { findDomain } from '../../../db/repositories/identity/authenticators.ts';
import { normalDn } from '../../../shared/identity/domains/directory/entries/names.ts';
import type { DomainType, StoredDomain } from '../../../shared/identity/domains/domain-type.ts';
import { domainTypeOf } from '../../../shared/identity/domains/registry.ts';
import { groupIdentifier } from '../../../shared/identity/providers/groups.ts';
import { AppError, invalid } from '../../../shared/kernel/errors.ts';
import type { WebuiCtx } from '../deps.ts';

type Directory = NonNullable<DomainType['directory']>;

/**
 * The immutable identifier of a group outside of the portal: the one that an identity provider sends, or the one of
 * the directory entry.
 * @param name distinguished name in any spelling, or the identifier; null for a group of the portal
 * @throws AppError `invalid_request` if it is not a distinguished name, unless the domain has an identity provider
 */
export async function directoryIdOf(
  ctx: WebuiCtx,
  domainId: string,
  name: string | null,
): Promise<string | undefined> {
  if (!name) return undefined;
  const domain = await findDomain(ctx.deps.db, domainId);
  const type = domain && domainTypeOf(domain.type);
  if (type?.supports.groupsById) return groupIdentifier(name);
  if (normalDn(name) === undefined) throw notDn();
  return domain && type?.directory && findId(ctx, type.directory, domain, name);
}

/** An unreachable directory does not prevent the registration: the first login of a member stores the identifier. */
async function findId(
  ctx: WebuiCtx,
  directory: Directory,
  domain: StoredDomain,
  dn: string,
): Promise<string | undefined> {
  try {
    return await directory.findGroupId(ctx.deps, domain, dn);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    ctx.deps.log.warn('the identifier of a group could not be read', { domain: domain.id, code: error.code });
    return undefined;
  }
}

const notDn = (): AppError =>
  invalid({
    pointer: '/external_id',
    code: 'invalid_format',
    detail: 'Must be a distinguished name (RFC 4514)',
  });
