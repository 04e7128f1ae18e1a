import { findDomain } from '../../../db/repositories/identity/authenticators.ts';
import { withinDirectory } from '../../../shared/identity/domains/directory/connection.ts';
import { isSameDn } from '../../../shared/identity/domains/directory/entries/names.ts';
import { findGroupsCalled } from '../../../shared/identity/domains/directory/groups/search.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import type { WebuiCtx } from '../deps.ts';

/**
 * The SID of a group of Active Directory, by its distinguished name in any spelling. A directory that does not answer keeps
 * no group from being registered: the first login of a member stores the SID.
 */
export async function directoryIdOf(
  ctx: WebuiCtx,
  domainId: string,
  dn: string,
): Promise<string | undefined> {
  const domain = await findDomain(ctx.deps.db, domainId);
  if (domain?.type !== 'active_directory') return undefined;
  try {
    const found = await withinDirectory(ctx.deps, domain, (session, params) =>
      findGroupsCalled(session, params, [{ dn }]),
    );
    return found.find((group) => isSameDn(group.dn, dn))?.sid;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    ctx.deps.log.warn('the identifier of a group could not be read', { domain: domainId, code: error.code });
    return undefined;
  }
}
