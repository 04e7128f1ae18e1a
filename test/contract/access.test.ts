import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPermission, type Permission, permissions } from '../../shared/context/permissions.ts';
import type { Answer, SendOptions, TestPortal } from '../support/portal.ts';
import {
  answersInResultForm,
  bodyShown,
  operations,
  pathOf,
  type Registered,
} from './generated/described.ts';
import { expectProblem } from './support/problems.ts';
import { createSessions } from './support/sessions.ts';
import { startTypedPortal } from './support/typed-portal.ts';

let portal: TestPortal;
let roleless: string;
let bound: string;
let narrow: string;
/** For each permission that an operation needs, a session with all others. */
const lacking = new Map<Permission, string>();

const permissionOf = ({ access }: Registered): Permission | undefined =>
  isPermission(access) ? access : undefined;
const guarded = operations.filter(({ access }) => access !== 'public');
const permitted = operations.filter(permissionOf);
const open = operations.filter(({ access }) => access === 'public');

beforeAll(async () => {
  portal = await startTypedPortal();
  const sessions = await createSessions(portal, await portal.login());
  const site = await sessions.make('/api/webui/aggregator/sites', { name: 'Narrow', uri: 'narrow' });
  roleless = await sessions.withoutRole();
  bound = await sessions.mustChange();
  narrow = await sessions.holding({ permissions, sites: [site.id] });
  for (const permission of new Set(permitted.flatMap((operation) => permissionOf(operation) ?? []))) {
    const others = permissions.filter((other) => other !== permission);
    lacking.set(permission, await sessions.holding({ permissions: others }));
  }
});
afterAll(() => portal.close());

/** A public operation without credentials reports the missing input, then the missing credential of its own. */
function statusForNobody(operation: Registered): number {
  const { body, query, credential } = operation;
  if (credential?.in === 'header') return answersInResultForm(operation) ? 401 : 403;
  if ((body && 'required' in body) || query?.safeParse({}).success === false) return 422;
  if (operation.module === 'ssa') return 401;
  // The example of its path is a file of another version.
  if (operation.id.endsWith('.getFile')) return 404;
  // The example of its path is the identifier of no domain.
  if (operation.id === 'clientKey.list') return 404;
  return body ? 422 : 200;
}

/** The result format for agents has no place for details of a refusal. */
function expectLacking(answer: Answer, operation: Registered): void {
  expectProblem(answer, 'forbidden', operation);
  if (!answersInResultForm(operation)) expect(answer.body.required_permission).toBe(operation.access);
}

/** A request that only the session check can refuse. */
const send = (operation: Registered, options: SendOptions = {}) =>
  portal.send(`${operation.method} ${pathOf(operation)}`, { body: bodyShown(operation), ...options });

describe('the access to an operation', () => {
  it.each(guarded)('$id needs a session', async (operation) => {
    expectProblem(await send(operation), 'unauthenticated', operation);
  });

  it.each(guarded)('$id rejects an invalid token', async (operation) => {
    for (const token of ['x', 'A'.repeat(43), 'A'.repeat(4096)])
      expectProblem(await send(operation, { token }), 'invalid_token', operation);
  });

  it.each(open)('$id is public, with any token', async (operation) => {
    // The required body is missing: no login may be attempted.
    for (const token of [undefined, 'x']) {
      const { status } = await send(operation, { token, body: undefined });
      expect(status).toBe(statusForNobody(operation));
    }
  });

  it.each(permitted)('$id refuses a session of the user portal', async (operation) => {
    const answer = await send(operation, { token: roleless });
    expectLacking(answer, operation);
  });

  it.each(permitted)('$id refuses a session with every permission but $access', async (operation) => {
    const answer = await send(operation, { token: lacking.get(permissionOf(operation) ?? 'audit.read') });
    expectLacking(answer, operation);
  });

  it.each(
    permitted.filter(
      ({ method, sited, readsOnly, allSites }) => allSites || (method !== 'GET' && !sited && !readsOnly),
    ),
  )('$id needs $access for all sites', async (operation) => {
    expectProblem(await send(operation, { token: narrow }), 'forbidden', operation);
  });

  it.each(
    guarded.filter(({ duringPasswordChange }) => !duringPasswordChange),
  )('$id is refused before a mandatory password change', async (operation) => {
    expectProblem(await send(operation, { token: bound }), 'password_change_required', operation);
  });

  it('includes the account and logout before a mandatory password change', () => {
    const during = guarded.filter(({ duringPasswordChange }) => duringPasswordChange);
    for (const { path } of during) expect(path).toMatch(/^\/api\/userinfo|\/logout$/);
    expect(during.map(({ id }) => id)).toContain('login.end');
  });

  it.each(operations)('$id is refused over plain HTTP to any caller', async (operation) => {
    for (const token of [undefined, 'x', roleless])
      expectProblem(await send(operation, { token, secure: false }), 'https_required', operation);
  });
});
