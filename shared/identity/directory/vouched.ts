import { foldName } from '../../kernel/text.ts';
import type { Candidate, LoginCtx, OpenAttempt } from '../login/attempt.ts';
import { accountOf, type DirectoryProof, isOut } from './account.ts';
import { membershipsOf } from './memberships.ts';
import { findPerson } from './people.ts';
import { withinDirectory } from './settings.ts';

/**
 * The account of somebody for whom a KDC has vouched, by his name, or by his UPN where his card has one: what a login by
 * password would find out of the directory, without any password.
 * @returns undefined for whom the directory does not know, or keeps out
 * @throws AppError `no_registered_group`, audited; those of the directory
 */
export async function accountVouchedFor(
  ctx: LoginCtx,
  attempt: OpenAttempt,
  { domain }: Candidate,
  { username, upn }: { username: string; upn: string | undefined },
): Promise<DirectoryProof | undefined> {
  const sealed = domain.params.bind_password;
  const row = { ...domain, sealed_password: typeof sealed === 'string' ? sealed : null };
  const sources = domain.attributes.map(({ source }) => source);
  const wanted = { name: foldName(username), typed: upn ?? username };
  const known = await withinDirectory(ctx.deps, row, async (session, params) => {
    const person = await findPerson(session, params, wanted, sources);
    if (!person || isOut(person, ctx.now)) return undefined;
    return { person, groups: await membershipsOf(ctx.deps.db, domain.id, { session, params }, person) };
  });
  return known && accountOf(ctx, attempt, domain, known);
}
