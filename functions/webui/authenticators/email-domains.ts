import { areEmailDomainsTaken } from '../../../db/repositories/identity/authenticators.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import type { WebuiCtx } from '../deps.ts';

/**
 * The sign-in page selects one domain for an e-mail address. The other domain is not named: the caller may not see it.
 * @throws AppError `already_exists`
 */
export async function assertOwnEmailDomains(
  { deps }: WebuiCtx,
  id: string,
  { email_domains: names }: Record<string, unknown>,
): Promise<void> {
  if (!Array.isArray(names) || names.length === 0) return;
  if (!(await areEmailDomainsTaken(deps.db, id, names))) return;
  throw new AppError('already_exists', undefined, {
    errors: [
      {
        pointer: '/params/email_domains',
        code: 'already_exists',
        detail: 'Another domain has one of these e-mail domains',
      },
    ],
  });
}
