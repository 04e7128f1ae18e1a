import type { z } from 'zod';
import { isNodeNameTaken } from '../../../db/repositories/sites/dispatchers.ts';
import { findRecord } from '../../../shared/http/records/writes.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { inLanguage } from '../../../shared/messages/message.ts';
import { isCapable } from '../../../shared/remotes/dispatcher/capabilities.ts';
import type { Node } from '../../../shared/remotes/dispatcher/port.ts';
import { nodeOf } from '../../../shared/sites/calls/dispatcher-keys.ts';
import { testConnection } from '../../../shared/sites/connection-test/connection-test.ts';
import type { WebuiCtx } from '../deps.ts';
import { checkTested, sealedSecrets } from '../node-destination.ts';
import { takeTest } from '../test-quota.ts';
import { dispatcherCrud } from './record.ts';
import type { ConnectionTestResult, TestSettings } from './test-shapes.ts';

type Result = z.input<typeof ConnectionTestResult>;

/**
 * Tests the connection to a node that is not stored.
 * @throws AppError `rate_limited`, `invalid_request`; `already_exists` if a node has the name, because the test sends a
 *   token that is valid for nodes of this name
 */
export async function testSettings(ctx: WebuiCtx, body: z.output<typeof TestSettings>): Promise<Result> {
  takeTest(ctx, 'dispatcher-test');
  checkTested(ctx, body);
  if (await isNodeNameTaken(ctx.deps.db, body.name)) {
    const detail = 'The value is already in use';
    throw new AppError('already_exists', undefined, {
      errors: [{ pointer: '/name', code: 'already_exists', detail }],
    });
  }
  const id = newId();
  const { account_password } = await sealedSecrets(ctx, id, body);
  return test(ctx, nodeOf({ ...body, id, account_password }), body.health_key ?? undefined);
}

/**
 * Tests the connection to a stored node with its settings.
 * @throws AppError `rate_limited`, `not_found`
 */
export async function testStored(ctx: WebuiCtx, id: string): Promise<Result> {
  const row = await findRecord(ctx, dispatcherCrud.kind, id);
  takeTest(ctx, 'dispatcher-test');
  const place = { table: 'dispatchers', row: id, column: 'health_key' };
  const key = row.health_key === null ? undefined : await ctx.deps.sealer.open(row.health_key, place);
  return test(ctx, nodeOf(row), key);
}

async function test(ctx: WebuiCtx, node: Node, healthKey: string | undefined): Promise<Result> {
  const { deps, language, now, trace, background } = ctx;
  const { transport, dispatchers, baseUrl } = deps;
  const parts = { transport, dispatchers, now, trace, background };
  const { steps, ...found } = await testConnection(parts, { node, healthKey });
  const isWhole = steps.every(({ name, code }) => name !== 'authorization' || code !== 'no_account');
  const success = isWhole && steps.every(({ status }) => status !== 'fail');
  const summary = success ? 'The portal can use the node' : 'The portal cannot use the node yet';
  return {
    success,
    message: inLanguage(summary, language),
    steps: steps.map((step) => ({ ...step, detail: inLanguage(step.detail, language) })),
    ...found,
    portal: isCapable(node.kind, 'service_account')
      ? null
      : { issuer: baseUrl, audience: node.name, jwks_url: `${baseUrl}/api/auth/v7.0/jwks` },
  };
}
