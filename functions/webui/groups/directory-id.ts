import { findDomain } from '../../../db/repositories/identity/authenticators.ts';
import { domainTypeOf } from '../../../shared/identity/domains/registry.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import type { WebuiCtx } from '../deps.ts';

/**
 * Reads the immutable identifier of a directory group by its distinguished name in any spelling. An unreachable
 * directory does not prevent the registration: the first login of a member stores the identifier.
 */
export async function directoryIdOf(
  ctx: WebuiCtx,
  domainId: string,
  dn: string,
): Promise<string | undefined> {
  const domain = await findDomain(ctx.deps.db, domainId);
  const directory = domain && domainTypeOf(domain.type).directory;
  if (!directory) return undefined;
  try {
    return await directory.findGroupId(ctx.deps, domain, dn);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    ctx.deps.log.warn('the identifier of a group could not be read', { domain: domainId, code: error.code });
    return undefined;
  }
}
