import type { z } from 'zod';
import { asAppError } from '../../../db/errors.ts';
import { findDomain } from '../../../db/repositories/identity/authenticators.ts';
import { type AppError, type ErrorCode, notFound } from '../../../shared/kernel/errors.ts';
import { inLanguage } from '../../../shared/messages/message.ts';
import type { WebuiCtx } from '../deps.ts';
import { bindUser } from './bind.ts';
import type { BindResult, Item, Person } from './bind-schema.ts';

/**
 * Binds several users of a domain, each on its own and with its own audit event: one that is refused does not affect the others.
 * After a failure that concerns every user, such as a directory without an answer, the rest is not tried.
 * @throws AppError `not_found` without the domain
 */
export async function bindUsers(
  ctx: WebuiCtx,
  domainId: string,
  items: readonly Item[],
): Promise<z.input<typeof BindResult>> {
  if (!(await findDomain(ctx.deps.db, domainId))) throw notFound();
  const bound: string[] = [];
  const failed: { id: string; error: AppError }[] = [];
  let outage: AppError | undefined;
  for (const item of items) {
    const error = outage ?? (await attempt(ctx, domainId, item));
    if (!error) bound.push(item.id);
    else failed.push({ id: item.id, error });
    if (error && outages.includes(error.code)) outage = error;
  }
  return {
    bound_count: bound.length,
    bound,
    failed_count: failed.length,
    failed: failed.map(({ id, error: { code, detail, members } }) => ({
      ...{ id, code, reason: typeof members.reason === 'string' ? members.reason : null },
      detail: inLanguage(detail, ctx.language),
    })),
  };
}

const outages: readonly ErrorCode[] = [
  ...(['overloaded', 'upstream_refused', 'upstream_tls', 'upstream_timeout'] as const),
  ...(['database_unavailable', 'internal'] as const),
];

async function attempt(ctx: WebuiCtx, parent: string, { id, ...given }: Item): Promise<AppError | undefined> {
  try {
    await bindUser(ctx, { id, parent }, personIn(given));
    return undefined;
  } catch (error) {
    const problem = asAppError(error);
    if (problem.code === 'internal') ctx.log.error('internal', { request_id: ctx.requestId, error });
    return problem;
  }
}

const personIn = ({ subject, tenant }: Omit<Item, 'id'>): Person | undefined =>
  subject === undefined ? undefined : { subject, tenant };
