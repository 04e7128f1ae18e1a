import { findBegun, storeResult } from '../../../db/repositories/identity/login/sign-in-tests.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { presentSession } from '../../../shared/http/pages/own-pages.ts';
import type { Answer, Document } from '../../../shared/http/serve/answer.ts';
import { decisionAbout, refusedTest } from '../../../shared/identity/providers/sign-in-test/decision.ts';
import { type SignInTestResult, sealResult } from '../../../shared/identity/providers/sign-in-test/result.ts';
import { notFound } from '../../../shared/kernel/errors.ts';
import type { CodeExchange, ProviderLogin } from '../../../shared/remotes/oidc/port.ts';
import type { FederationDeps } from '../deps.ts';
import { movedOnPage } from '../moved-on-page.ts';
import type { Provider } from '../provider.ts';
import { newAttempt, requestAt, type StartRequest, sendTo } from './start.ts';

type Ctx = RequestCtx<FederationDeps>;
type Place = { domainId: string; test: string };

/**
 * Sends the browser of the administrator who has created the test to the provider. A request that cannot begin is a result as well.
 * @throws AppError `not_found` in another browser session, and for a test that has expired or was used
 */
export async function startTest(
  ctx: Ctx,
  domainId: string,
  test: string,
  query: StartRequest,
): Promise<Answer | Document> {
  if (query.language) ctx.language = query.language;
  const tokenHash = presentSession(ctx.client.cookies());
  const domain = tokenHash && (await findBegun(ctx.deps.db, { id: test, domainId, tokenHash }, ctx.now));
  if (!domain) throw notFound();
  const attempt = newAttempt(ctx, domainId, { ...query, next: undefined, portal: undefined });
  try {
    return await sendTo(ctx, attempt, await requestAt(ctx, domain, attempt, query));
  } catch (error) {
    return shownTest(ctx, { domainId, test }, refusedTest(ctx, error, undefined), []);
  }
}

/** The result of an exchange with the provider, also of one that fails. */
export async function resultOfTest(
  ctx: Ctx,
  exchange: (
    onClaims: NonNullable<CodeExchange['onClaims']>,
  ) => Promise<{ provider: Provider; login: ProviderLogin }>,
): Promise<SignInTestResult> {
  let claims: ProviderLogin['claims'] | undefined;
  try {
    const { provider, login } = await exchange((seen) => {
      claims = seen;
    });
    return await decisionAbout(ctx, provider.domain, provider.rules, login);
  } catch (error) {
    return refusedTest(ctx, error, claims);
  }
}

/** Stores the result for the administrator, and opens the page that shows it. */
export async function shownTest(
  ctx: Ctx,
  { domainId, test }: Place,
  result: SignInTestResult,
  cookies: readonly string[],
): Promise<Document> {
  const { db, sealer } = ctx.deps;
  await storeResult(db, test, await sealResult(sealer, test, result), ctx.now);
  return movedOnPage(ctx, `/console/#/authenticator/${domainId}?sign_in_test=${test}`, cookies);
}
