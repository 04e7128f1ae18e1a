import type { z } from 'zod';
import { type DomainTypeName, domainTypeOf } from '../../../shared/identity/domains/registry.ts';
import type { WebuiCtx } from '../deps.ts';
import { takeTest } from '../test-quota.ts';
import { examine, isGood, resultOf } from './test-params.ts';
import type { TestBody, TestResult } from './test-shapes.ts';

/**
 * Tests a domain according to its type: first the fields and, if they are valid, the connection.
 * @throws AppError `rate_limited`, `invalid_request` for an `id` of another type or an unknown one,
 *   `secret_required`
 */
export async function testDomain(
  ctx: WebuiCtx,
  type: DomainTypeName,
  body: z.output<typeof TestBody>,
): Promise<z.input<typeof TestResult>> {
  takeTest(ctx, 'directory-test');
  const { checks, params, stored, storedSecrets } = await examine(ctx, type, body);
  const { test } = domainTypeOf(type);
  const { username, password, ...fields }: typeof body & Record<string, unknown> = body;
  const labels = [stored?.name, stored?.small_name, fields.name, fields.small_name].filter(
    (label) => typeof label === 'string',
  );
  const connection =
    test && params && isGood(checks)
      ? await test(ctx, { params, stored, storedSecrets, labels, username, password })
      : [];
  const all = [...checks, ...connection];
  return resultOf(
    ctx,
    all,
    isGood(all) ? 'The domain works' : 'The domain does not work with these parameters',
  );
}
