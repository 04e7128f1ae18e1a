import { z } from 'zod';
import { atomically } from '../../../../db/client.ts';
import { isReferenceViolation, isUniqueViolation, raisedByMust } from '../../../../db/errors.ts';
import { appendAudit } from '../../../../db/repositories/audit/events.ts';
import { moveIdentities, planMove } from '../../../../db/repositories/identity/directory/identities.ts';
import { findOwnTest, useUpTest } from '../../../../db/repositories/identity/login/sign-in-tests.ts';
import { auditEntry } from '../../../../shared/context/audit-entry.ts';
import { assertMayMovePeople } from '../../../../shared/context/privileges.ts';
import {
  openResult,
  type SignInTestResult,
} from '../../../../shared/identity/providers/sign-in-test/result.ts';
import { AppError, conflict, invalid } from '../../../../shared/kernel/errors.ts';
import { message } from '../../../../shared/messages/message.ts';
import { isForManyTenants } from '../../../../shared/remotes/oidc/provider/issuers.ts';
import { Id } from '../../../../shared/shapes/fields.ts';
import type { WebuiCtx } from '../../deps.ts';
import { findProviderDomain, type ProviderDomain } from './identities.ts';
import { sessionOf } from './sign-in-tests.ts';

export const MoveIdentities = z.strictObject({
  from: z
    .string()
    .min(1)
    .max(2_048)
    .meta({ example: 'https://login.example.com' })
    .describe('The former issuer: an `issuer` of `identities` that is not the present one.'),
  test_id: Id.describe(
    'Identifier of a test sign-in of this session at the present issuer, of a person of the former one. It can be used once.',
  ),
});

export const MovedIdentities = z.strictObject({
  from: z.string().describe('The former issuer.'),
  to: z.string().describe('The present issuer.'),
  moved: z.int().describe('Number of people who can sign in again.'),
  removed: z
    .int()
    .describe('Number of unused users that were deleted because a moved person has their identifier.'),
});

/**
 * Moves the people of a former issuer of a domain to the present one, which is the same provider under another name. The test
 * sign-in proves it for one person: the subject is the same at both.
 * @throws AppError `forbidden`, `not_found` without the domain, `invalid_request` for the present issuer,
 *   `invalid_state` with the reason
 */
export async function movePeople(
  ctx: WebuiCtx,
  domainId: string,
  { from, test_id }: z.output<typeof MoveIdentities>,
): Promise<z.input<typeof MovedIdentities>> {
  assertMayMovePeople(ctx);
  const { db } = ctx.deps;
  const test = { id: test_id, domainId, sessionId: sessionOf(ctx) };
  const domain = await findProviderDomain(ctx, domainId);
  if (!domain) throw conflict('no_provider', 'The domain has no identity provider');
  const move = { domainId, from, to: domain.issuer };
  assertMovable(domain, from);
  const plan = await planMove(db, move, subjectOf(await resultOf(ctx, test), domain.issuer));
  if (!plan.has_person)
    throw conflict('unknown_person', 'The person of the test sign-in is not one of the former issuer');
  if (plan.in_use > 0) throw inUse(plan.in_use);
  const moved = { from, to: move.to, moved: plan.people, removed: plan.unused };
  const audit = auditEntry(ctx, {
    ...{ event: 'portal.EntityAction', category: 'config', action: 'move_identities' },
    ...{ object_type: 'authenticator', object_id: domainId, object_name: domain.name },
    details: moved,
  });
  await atomically(db, (h) => [
    ...useUpTest(h, test, ctx.now),
    ...moveIdentities(h, move, plan),
    appendAudit(h, audit),
  ]).catch(explain);
  return moved;
}

/** @throws AppError `invalid_request` for a present issuer, `invalid_state` for issuers without people of their own */
function assertMovable({ issuer, accepted }: ProviderDomain, from: string): void {
  if ([issuer, from].some(isForManyTenants))
    throw conflict(
      'several_tenants',
      'An issuer for several tenants has people of several issuers, which cannot be moved together',
    );
  if (accepted.has(from))
    throw invalid({ pointer: '/from', code: 'not_allowed', detail: 'The issuer is the present one' });
}

/** @throws AppError `invalid_state` without a test, or if the provider has not answered yet */
async function resultOf(
  { deps: { db, sealer }, now }: WebuiCtx,
  test: Parameters<typeof findOwnTest>[1],
): Promise<SignInTestResult> {
  const found = await findOwnTest(db, test, now);
  if (!found) throw noTest();
  if (found.sealed_result === null)
    throw conflict('no_result', 'The test sign-in has no result yet: sign in at the provider first');
  return openResult(sealer, test.id, found.sealed_result);
}

/** Reasons why the person of a former issuer is refused: the user has the name already, or the domain does not create users. */
const unknownHere: readonly (string | null)[] = ['no_account', 'name_in_use'];

/** The subject of a person who can sign in, or could with an account. @throws AppError `invalid_state` */
function subjectOf({ admitted, reason, person }: SignInTestResult, issuer: string): string {
  if (!person || (!admitted && !unknownHere.includes(reason)))
    throw conflict('test_refused', 'The test sign-in was refused: correct the settings first');
  if (person.issuer !== issuer)
    throw conflict('other_issuer', 'The test sign-in was at another issuer than the present one');
  return person.subject;
}

const noTest = (): AppError =>
  conflict('no_test', 'This session has no such test sign-in: it has expired or was used');

const inUse = (count: number): AppError =>
  new AppError(
    'invalid_state',
    message('{count} users of the present issuer have the identifier of a person who would move', { count }),
    { reason: 'identifiers_in_use', count },
  );

/** A user of the domain that was bound or assigned meanwhile fails by an index or a reference. */
function explain(error: unknown): never {
  const reason = raisedByMust(error)?.reason;
  if (reason === 'no_test') throw noTest();
  if (reason !== 'contested' && !isUniqueViolation(error) && !isReferenceViolation(error)) throw error;
  throw conflict('contested', 'The domain or its users were changed at the same time: try again');
}
