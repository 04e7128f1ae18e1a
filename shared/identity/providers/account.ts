import type { Db, Statement } from '../../../db/client.ts';
import {
  findDirectoryAccount,
  noteDirectoryLogin,
} from '../../../db/repositories/identity/directory/accounts.ts';
import { addGrant, type NewGrant } from '../../../db/repositories/identity/login/provider-grants.ts';
import { noteProviderAnswer } from '../../../db/repositories/identity/login/provider-states.ts';
import { addProviderSession } from '../../../db/repositories/identity/login/providers.ts';
import { accountKey } from '../../../db/repositories/identity/users.ts';
import { AppError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { foldName, isStorable, startOf } from '../../kernel/text.ts';
import { isEmailVerified } from '../../remotes/oidc/login/admission.ts';
import type { ProviderLogin } from '../../remotes/oidc/port.ts';
import type { Account, Candidate, LoginCtx, OpenAttempt, Proof } from '../login/account.ts';
import { failedLogin, noteUnadmitted } from '../login/failures.ts';
import { assertMayTry } from '../login/limits.ts';
import { sealGrant } from './grant.ts';
import { followGroups, groupKeys } from './groups.ts';
import { isNameable, type ProviderAccount, rowOf, subjectPattern } from './person.ts';
import type { AccountRules } from './rules.ts';

export type ProviderDomain = Candidate['domain'];

export type ProvedLogin = { attempt: OpenAttempt; proof: Proof };

/**
 * The account of a person after the authentication at a provider, with the statements of its login. A lock of the account
 * refuses the login, because it can be the result of wrong codes.
 * @throws AppError `locked_out`, `account_disabled`, `no_registered_group`, `forbidden`; audited
 */
export async function proveByProvider(
  ctx: LoginCtx,
  domain: ProviderDomain,
  rules: AccountRules,
  login: ProviderLogin,
): Promise<ProvedLogin> {
  const name = login.loginName.trim();
  const found = await findAccount(ctx.deps.db, domain.id, login);
  if (!found) throw new AppError('login_expired');
  const { user } = found;
  const account = accountKey(domain.id, user?.name_key ?? foldName(name));
  const failed = failedLogin(ctx, { username: user?.name ?? name, authId: domain.id }, { domain, user });
  const tried = await assertMayTry(ctx, account, failed, 'provider');
  if (login.userinfoFault !== undefined)
    ctx.log.warn('the userinfo endpoint of a provider failed; the ID token was sufficient', {
      domain: domain.id,
      reason: login.userinfoFault,
    });
  const attempt = { ...tried, username: user?.name ?? name, candidate: undefined };
  try {
    const checkInS = rules.rechecks ? tried.parameters['oidc.recheck_s'] : 0;
    return { attempt, proof: await proofOf(ctx, found, rules, login, checkInS) };
  } catch (error) {
    await noteUnadmitted(ctx, attempt.key, attempt.failed, error);
    throw error;
  }
}

/** A person that the settings and the groups of the domain admit, with the writes that follow. */
type Admitted = {
  user: Account['user'];
  settle(h: Db): Statement[];
  memberships(h: Db, userId: string): Statement[];
};

/**
 * Decides about a person at a provider. Writes nothing.
 * @throws AppError `account_disabled`, `no_registered_group`, `forbidden`, `upstream_failed`
 */
export function admitted(
  found: ProviderAccount,
  rules: AccountRules,
  login: ProviderLogin,
  now: Date,
): Admitted {
  const name = login.loginName.trim();
  if (!isNameable(name) || !subjectPattern.test(login.subject)) throw unusable();
  const person = { subject: login.subject, issuer: login.issuer, name };
  const { user, settle } = rowOf(found, person, now, rules.createsUsers);
  if (user.state !== 'active' || user.kind !== 'person') throw new AppError('account_disabled');
  return { user, settle, memberships: membershipsOf(found, rules, login.groups ?? []) };
}

/** The account of a person and the registered groups that the provider has named. Undefined for a disabled domain. */
export function findAccount(
  db: Db,
  domainId: string,
  login: ProviderLogin,
): Promise<ProviderAccount | undefined> {
  const key = {
    directoryIds: [login.subject],
    authority: login.issuer,
    nameKey: foldName(login.loginName.trim()),
  };
  return findDirectoryAccount(db, domainId, key, groupKeys(login.groups ?? []));
}

async function proofOf(
  ctx: LoginCtx,
  found: ProviderAccount,
  rules: AccountRules,
  login: ProviderLogin,
  checkInS: number,
): Promise<Proof> {
  const { user, settle, memberships } = admitted(found, rules, login, ctx.now);
  const facts = factsOf(login.claims, rules.trustsEmail);
  const known = {
    ...facts,
    id: user.id,
    directoryId: login.subject,
    authority: login.issuer,
    card: null,
    attributes: user.attributes,
  };
  return {
    account: accountOf(found, user, facts),
    settle,
    statements: (h) => [
      ...settle(h),
      ...noteDirectoryLogin(h, known, ctx.now),
      ...memberships(h, user.id),
      noteProviderAnswer(h, found.domain, 'sign_in', ctx.now),
    ],
    session: await sessionOf(ctx, { domainId: found.domain.id, userId: user.id, checkInS }, rules, login),
  };
}

const accountOf = ({ domain, roles }: ProviderAccount, user: Account['user'], facts: Facts): Account => ({
  domain,
  user: { ...user, real_name: facts.realName || user.real_name, email: facts.email || user.email },
  roles,
});

/** @throws AppError `no_registered_group` */
function membershipsOf(
  { groups, memberOf }: ProviderAccount,
  { readsGroups }: AccountRules,
  stated: readonly string[],
): (h: Db, userId: string) => Statement[] {
  if (!readsGroups) return () => [];
  const following = followGroups(groups, memberOf, stated);
  if (!following) throw new AppError('no_registered_group');
  return following;
}

/** `checkInS`: seconds until the first check at the provider; 0 for a session that is not checked. */
type Owner = { domainId: string; userId: string; checkInS: number };

/** The facts of the session that a logout and a check at the provider need later. */
async function sessionOf(
  ctx: LoginCtx,
  owner: Owner,
  rules: AccountRules,
  login: ProviderLogin,
): Promise<NonNullable<Proof['session']>> {
  const id = newId();
  const grant = await grantOf(ctx, owner, login);
  const row = {
    session_id: id,
    authenticator_id: owner.domainId,
    issuer: login.issuer,
    sub: login.sub,
    sid: login.sid ?? null,
    authenticated_at: timeOf(login.authTime),
    sealed_id_token: rules.logsOut ? await ctx.deps.sealer.seal(login.idToken, idTokenOf(id)) : null,
    grant_id: grant?.id ?? null,
  };
  return { id, statements: (h) => [...(grant ? [addGrant(h, grant)] : []), addProviderSession(h, row)] };
}

/** A time that the database can store. */
function timeOf(seconds: number | undefined): Date | null {
  const isTime = seconds !== undefined && seconds > 0 && seconds < 32_503_680_000;
  return isTime ? new Date(seconds * 1_000) : null;
}

/** @returns undefined if the domain is not checked, or the provider has issued no refresh token */
async function grantOf(
  { deps: { sealer } }: LoginCtx,
  { domainId, userId, checkInS }: Owner,
  login: ProviderLogin,
): Promise<NewGrant | undefined> {
  const { refreshToken } = login;
  if (refreshToken === undefined || checkInS === 0) return undefined;
  const id = newId();
  const sealed_grant = await sealGrant(sealer, id, login, refreshToken);
  return { id, authenticator_id: domainId, user_id: userId, sealed_grant, checkInS };
}

/** The place that the ID token of a session is sealed for. */
export const idTokenOf = (sessionId: string) => ({
  table: 'provider_sessions',
  row: sessionId,
  column: 'sealed_id_token',
});

type Facts = { realName: string; email: string };

/** An e-mail address that the provider calls unverified is not copied, because notices are sent to it. */
function factsOf(claims: ProviderLogin['claims'], trustsEmail: boolean): Facts {
  const text = (value: unknown): string =>
    typeof value === 'string' && value.length <= 256 && isStorable(value) ? value.trim() : '';
  const parts = [text(claims.given_name), text(claims.family_name)].filter(Boolean);
  const isDenied = claims.email_verified !== undefined && !isEmailVerified(claims, { trustsEmail });
  return {
    realName: text(claims.name) || startOf(parts.join(' '), 256),
    email: isDenied ? '' : text(claims.email),
  };
}

const unusable = (): AppError =>
  new AppError(
    'upstream_failed',
    'The identity provider has sent an unusable name or identifier of the user',
    {
      reason: 'unusable_person',
    },
  );
