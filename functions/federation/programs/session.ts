import {
  bindSession,
  findGrantor,
  mustBeGranted,
  type ProgramGrant,
} from '../../../db/repositories/identity/login/program-grants.ts';
import { accountKey } from '../../../db/repositories/identity/users.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import type { Proof } from '../../../shared/identity/login/account.ts';
import { admit, type LoginResult } from '../../../shared/identity/login/admission.ts';
import { failedLogin } from '../../../shared/identity/login/failures.ts';
import { assertMayTry } from '../../../shared/identity/login/limits.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { escapeControls } from '../../../shared/kernel/text.ts';
import type { FederationDeps } from '../deps.ts';

/**
 * Opens the session of a program for the person who has allowed it. It ends with the session at the provider, as the
 * browser session of the person does.
 * @throws AppError `login_expired` if that browser session has ended, and those of a login
 */
export async function openProgramSession(
  ctx: RequestCtx<FederationDeps>,
  grant: ProgramGrant,
): Promise<LoginResult> {
  const grantor = await findGrantor(ctx.deps.db, grant.id);
  if (!grantor) throw new AppError('login_expired');
  const { session, ...account } = grantor;
  const { user, domain } = account;
  const failed = failedLogin(ctx, { username: user.name, authId: domain.id }, { domain, user });
  const tried = await assertMayTry(ctx, accountKey(domain.id, user.name_key), failed, 'provider');
  const attempt = { ...tried, username: user.name, candidate: undefined };
  const id = newId();
  const proof: Proof = {
    account,
    statements: (h) => mustBeGranted(h, grant.id, session.id),
    details: { program: escapeControls(grant.program), by: grant.kind },
    session: { id, statements: (h) => bindSession(h, grant.id, session.id, id) },
  };
  const options = {
    portal: grant.portal ?? session.portal,
    platform: grant.program,
    locale: session.locale ?? undefined,
  };
  return admit(ctx, options, attempt, proof);
}
