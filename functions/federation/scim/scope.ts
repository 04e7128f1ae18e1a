import { databaseProblem } from '../../../db/errors.ts';
import { FilterFault } from '../../../db/repositories/identity/scim/filter.ts';
import type { SignedIn } from '../../../shared/context/principal.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { scimError, scimWork } from '../../../shared/identity/scim/errors.ts';
import { scimBase } from '../../../shared/identity/scim/urns.ts';
import type { Work } from '../../../shared/kernel/concurrency/work.ts';
import { AppError, notFound } from '../../../shared/kernel/errors.ts';
import { type Detail, message } from '../../../shared/messages/message.ts';
import type { FederationDeps } from '../deps.ts';

export type ScimCtx = RequestCtx<FederationDeps, SignedIn>;

/** A request of an identity provider for the domain of its token. `base` is the address of SCIM for the domain. */
export type ScimScope = { ctx: ScimCtx; domainId: string; base: string; work: Work };

/**
 * The guard has admitted a token for provisioning. It is valid for the domain of its user alone.
 * @throws AppError `not_found` for another domain
 */
export function scopeOf(ctx: ScimCtx, domainId: string): ScimScope {
  const { principal } = ctx;
  if (principal.kind !== 'service_token' || principal.domain.id !== domainId) throw notFound();
  return { ctx, domainId, base: scimBase(ctx.deps.baseUrl, domainId), work: scimWork() };
}

const faults = {
  attribute: 'The attribute {name} cannot be used here',
  operator: 'The attribute {name} cannot be compared in this way',
  value: 'The attribute {name} cannot be compared with this value',
} as const satisfies Record<FilterFault['reason'], Detail>;

/** Runs a query whose filter and order are those of the client. */
export async function withFaults<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (error) {
    if (!(error instanceof FilterFault)) throw error;
    throw scimError('invalidFilter', message(faults[error.reason], { name: error.attribute }));
  }
}

const mostTries = 5;

/** Runs a write that depends on what it has read. Without `If-Match`, it is repeated after a concurrent change. */
export async function untilUncontested<T>(ifMatch: string | undefined, write: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (error) {
      const isContested = asProblem(error)?.code === 'precondition_failed';
      if (!isContested || ifMatch !== undefined || tries === mostTries) throw error;
    }
  }
}

const asProblem = (error: unknown): AppError | undefined =>
  error instanceof AppError ? error : databaseProblem(error);
