import type { Db } from '../../../../db/client.ts';
import { asAppError } from '../../../../db/errors.ts';
import { AppError } from '../../../kernel/errors.ts';
import type { Language } from '../../../messages/languages.ts';
import { inLanguage } from '../../../messages/message.ts';
import type { ProviderLogin } from '../../../remotes/oidc/port.ts';
import { admitted, findAccount, type ProviderDomain } from '../account.ts';
import { registeredAmong } from '../groups.ts';
import { factsOf } from '../refusals.ts';
import type { AccountRules } from '../rules.ts';
import { remedyOf } from './remedies.ts';
import type { SignInTestResult } from './result.ts';
import { shownClaims } from './shown-claims.ts';

type Ctx = { deps: { db: Db }; language: Language; now: Date };
type Claims = ProviderLogin['claims'];

/** What the portal would decide about a person. Nothing is written. */
export async function decisionAbout(
  ctx: Ctx,
  domain: ProviderDomain,
  rules: AccountRules,
  login: ProviderLogin,
): Promise<SignInTestResult> {
  const found = await findAccount(ctx.deps.db, domain.id, login);
  if (!found) return refusedTest(ctx, new AppError('account_disabled'), login.claims);
  const person = {
    subject: login.subject,
    issuer: login.issuer,
    login_name: login.loginName,
    groups: registeredAmong(found.groups, login.groups ?? []).map(({ name_key }) => name_key),
    groups_sent: login.groups?.length ?? 0,
    second_factor: login.secondFactor,
    is_known: found.user !== undefined && found.user !== null,
  };
  try {
    admitted(found, rules, login, ctx.now);
  } catch (error) {
    return { ...refusedTest(ctx, error, login.claims), person };
  }
  const detail = inLanguage('The person can sign in', ctx.language);
  const claims = shownClaims(login.claims);
  return { admitted: true, reason: null, detail, remedy: null, facts: {}, claims, person };
}

/** A test that ended with an error of the remote or of the account. */
export function refusedTest({ language }: Ctx, error: unknown, claims: Claims | undefined): SignInTestResult {
  const fault = asAppError(error);
  const given = fault.members.reason;
  const reason = typeof given === 'string' ? given : fault.code;
  const remedy = remedyOf(reason);
  return {
    admitted: false,
    reason,
    detail: inLanguage(fault.detail, language),
    remedy: remedy === undefined ? null : inLanguage(remedy, language),
    facts: factsOf(error),
    claims: claims ? shownClaims(claims) : null,
    person: null,
  };
}
