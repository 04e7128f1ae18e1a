import { z } from 'zod';
import { findDomain } from '../../../../db/repositories/identity/authenticators.ts';
import { addSignInTest, findOwnTest } from '../../../../db/repositories/identity/login/sign-in-tests.ts';
import { oidcBase } from '../../../../shared/identity/domains/oidc/addresses.ts';
import { domainTypeOf } from '../../../../shared/identity/domains/registry.ts';
import { openResult, testLifeS } from '../../../../shared/identity/providers/sign-in-test/result.ts';
import { addSeconds } from '../../../../shared/kernel/clock.ts';
import { AppError, conflict, notFound } from '../../../../shared/kernel/errors.ts';
import { newId } from '../../../../shared/kernel/ids.ts';
import { Id, Moment } from '../../../../shared/shapes/fields.ts';
import type { WebuiCtx } from '../../deps.ts';
import { takeTest } from '../../test-quota.ts';

const texts = (description: string) => z.record(z.string(), z.string()).describe(description);

const Person = z.strictObject({
  subject: z.string().describe('Value of the claim of the person.'),
  issuer: z.string().describe('Issuer of the ID token.'),
  login_name: z.string().describe('Value of the claim of the login name.'),
  groups: z.array(z.string()).describe('Registered groups among those that the provider has sent.'),
  groups_sent: z.int().describe('Number of groups that the provider has sent.'),
  second_factor: z
    .boolean()
    .describe('True if the provider has checked a second factor that the settings accept.'),
  is_known: z.boolean().describe('True if the person has an account in the domain.'),
});

export const SignInTest = z.strictObject({
  id: Id.describe('Identifier of the test.'),
  url: z
    .string()
    .describe('Path that begins the test, to be opened in the browser of this session within ten minutes.'),
  expires_at: Moment.describe('When the test and its result are removed.'),
  result: z
    .strictObject({
      admitted: z.boolean().describe('True if the person could sign in.'),
      reason: z
        .string()
        .nullable()
        .meta({ example: 'claim_not_allowed' })
        .describe('Reason of the refusal, as in the audit. Null if the person could sign in.'),
      detail: z.string().describe('The decision in one sentence.'),
      remedy: z
        .string()
        .nullable()
        .describe('What an administrator can change. Null if nothing has to be changed.'),
      facts: texts(
        'What helps to find the cause: `endpoint`, `claim`, `expected`, `found`, `provider_code`, `transport`.',
      ),
      claims: texts('Claims of the person as JSON, without secrets.')
        .nullable()
        .describe(
          'Claims that the provider has sent, each as JSON of at most 2,048 characters, without secrets. Null if there was no valid ID token.',
        ),
      person: Person.nullable().describe('Who has signed in. Null if the provider did not say it.'),
    })
    .nullable()
    .describe('Null until the provider has answered.'),
});

type View = z.input<typeof SignInTest>;

/**
 * Creates a test sign-in for the browser session of the caller.
 * @throws AppError `not_found` without a provider, `invalid_state` for a disabled domain or a caller without a browser session
 */
export async function createSignInTest(ctx: WebuiCtx, domainId: string): Promise<View> {
  takeTest(ctx, 'directory-test');
  const { deps, now } = ctx;
  const domain = await findDomain(deps.db, domainId);
  if (!domain) throw notFound();
  if (domainTypeOf(domain.type).login.proof !== 'redirect')
    throw new AppError('not_found', 'The domain has no identity provider');
  if (domain.state === 'disabled') throw conflict('disabled', 'The domain is disabled');
  const test = {
    id: newId(),
    authenticator_id: domainId,
    session_id: sessionOf(ctx),
    expires_at: addSeconds(now, testLifeS),
  };
  await addSignInTest(deps.db, test, now);
  return { ...shown(test), result: null };
}

/** @throws AppError `not_found` for another session, and ten minutes after the creation */
export async function getSignInTest(ctx: WebuiCtx, domainId: string, id: string): Promise<View> {
  const { deps, now } = ctx;
  const test = await findOwnTest(deps.db, { id, domainId, sessionId: sessionOf(ctx) }, now);
  if (!test) throw notFound();
  const { sealed_result } = test;
  return {
    ...shown(test),
    result: sealed_result === null ? null : await openResult(deps.sealer, id, sealed_result),
  };
}

const shown = ({
  id,
  authenticator_id,
  expires_at,
}: {
  id: string;
  authenticator_id: string;
  expires_at: Date;
}) => ({
  id,
  url: `${oidcBase}/${authenticator_id}/start?test=${id}`,
  expires_at: expires_at.toISOString(),
});

/** @throws AppError `invalid_state` for a caller without a browser session */
export function sessionOf({ principal }: WebuiCtx): string {
  if (principal.kind === 'user') return principal.session.id;
  throw conflict('no_session', 'A test sign-in needs a browser session of the administrator');
}
