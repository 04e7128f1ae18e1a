import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permissions } from '../../shared/context/permissions.ts';
import type { TestPortal } from '../support/portal.ts';
import { describedAs, operations, pathOf, type Registered } from './generated/described.ts';
import { property, seed } from './generated/effort.ts';
import { createGround, creatorFor, ownerMember } from './generated/ground.ts';
import { liftLimits } from './support/limits.ts';
import { expectProblem } from './support/problems.ts';
import { createSessions } from './support/sessions.ts';
import { portalType, startTypedPortal } from './support/typed-portal.ts';

let portal: TestPortal;
let token: string;
let narrow: string;
let ground: ReturnType<typeof createGround>;
/** The path of a list with at least two rows, and the cursor after the first of them. */
const lists = new Map<string, { path: string; next: string | null }>();

const queryOf = (operation: Registered): string[] =>
  describedAs(operation)
    .parameters.filter((parameter: { in: string }) => parameter.in === 'query')
    .map(({ name }: { name: string }) => name);
/** Every order except the default one. */
const otherOrders = (operation: Registered): string[] => {
  const sort = describedAs(operation).parameters.find(({ name }: { name: string }) => name === 'sort');
  return sort ? sort.schema.enum.filter((order: string) => order !== sort.schema.default) : [];
};
const paged = operations.filter((operation) => queryOf(operation).includes('cursor'));

beforeAll(async () => {
  portal = await startTypedPortal();
  await liftLimits(portal);
  token = await portal.login();
  ground = createGround(portal, token);
  const sessions = await createSessions(portal, token);
  const site = await sessions.make('/api/webui/aggregator/sites', { name: 'Narrow', uri: 'narrow' });
  narrow = await sessions.holding({ permissions, sites: [site.id] });
  for (const operation of paged) lists.set(operation.id, await fill(operation));
});
afterAll(() => portal.close());

/** Adds two rows to a list, where an operation can create them. */
async function fill(operation: Registered): Promise<{ path: string; next: string | null }> {
  const { values, last } = await ground.valuesFor(operation.path);
  const create = creatorFor(operation);
  for (const _ of create ? [1, 2] : []) {
    const owned = create && create.path !== operation.path;
    const more = owned ? { [ownerMember(operation.path)]: last?.id } : {};
    if (create) await ground.make(create, pathOf(create, values), more);
  }
  // Each write of a record is a version.
  for (const _ of operation.id.endsWith('.listVersions') && last ? [1, 2] : [])
    await portal.send(`PUT ${last?.path}`, { token, body: last?.sent });
  const path = pathOf(operation, values);
  return { path, next: (await portal.send(`GET ${path}?limit=1`, { token })).body.next };
}

/** All cases for the first list, and a sample for the others, which have the same code; it differs from list to list. */
const some = <T>(cases: readonly T[], operation: Registered): readonly T[] => {
  const at = paged.indexOf(operation);
  return at === 0 ? cases : cases.filter((_, index) => (index + at + seed) % cases.length < 4);
};

const follow = (operation: Registered, cursor: string, more = '', as = token) =>
  portal.send(`GET ${lists.get(operation.id)?.path}?limit=1${more}&cursor=${encodeURIComponent(cursor)}`, {
    token: as,
  });

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The text with some bits of one of its characters flipped. */
function flipped(text: string, at: number, bits: number): string {
  const present = alphabet.indexOf(text[at] ?? '');
  return text.slice(0, at) + (present < 0 ? 'A' : alphabet[present ^ bits]) + text.slice(at + 1);
}

it('every list with data has a second page in this test', () => {
  const filled = paged.filter(creatorFor);
  if (portalType !== 'user') expect(filled.length).toBeGreaterThan(5);
  for (const { id } of filled) expect([id, typeof lists.get(id)?.next]).toEqual([id, 'string']);
});

describe.each(paged)('the cursor of $id', (operation) => {
  const cursor = (): string | null => lists.get(operation.id)?.next ?? null;
  /** Rejected as malformed; a longer one than any valid cursor is rejected by its length. */
  const expectRefused = async (sent: string, more = '') => {
    const answer = await follow(operation, sent, more);
    expectProblem(answer, sent.length > 2048 ? 'invalid_request' : 'malformed_cursor', operation);
  };

  it('is accepted unchanged', async ({ skip }) => {
    const given = cursor() ?? skip('one page only');
    expect((await follow(operation, given)).status).toBe(200);
  });

  it('is rejected with any bit changed, including unused bits', async ({ skip }) => {
    const given = cursor() ?? skip('one page only');
    const every = Array.from({ length: 63 }, (_, at) => at + 1);
    for (const bits of some(every, operation)) await expectRefused(flipped(given, given.length - 1, bits));
    await fc.assert(
      fc.asyncProperty(fc.nat(given.length - 1), fc.integer({ min: 1, max: 63 }), async (at, bits) => {
        await expectRefused(flipped(given, at, bits));
      }),
      property(1 / 2),
    );
  });

  it('is rejected when it is cut, extended or replaced', async ({ skip }) => {
    const given = cursor() ?? skip('one page only');
    const lengths = Array.from({ length: Math.ceil(given.length / 9) }, (_, at) => at * 9);
    for (const length of some(lengths, operation)) await expectRefused(given.slice(0, length));
    for (const more of some(['A', '=', '.', '.A', ' ', '\n', '!', given, 'A'.repeat(4_000)], operation))
      await expectRefused(given + more);
    const replaced = [
      'null',
      '{}',
      '[]',
      '..',
      '...',
      '0',
      '__proto__',
      `\u202e${given}`,
      given.toUpperCase(),
    ];
    for (const sent of some(replaced, operation)) await expectRefused(sent);
  });

  it('is rejected for another list, order, search or scope', async ({ skip }) => {
    const given = cursor() ?? skip('one page only');
    const others = [...lists].flatMap(([id, { next }]) => (id !== operation.id && next ? [next] : []));
    for (const other of some(others, operation)) await expectRefused(other);
    if (queryOf(operation).includes('search')) await expectRefused(given, '&search=a');
    for (const order of otherOrders(operation)) await expectRefused(given, `&sort=${order}`);
    const elsewhere = await follow(operation, given, '', narrow);
    expect(elsewhere.status).toBeGreaterThanOrEqual(400);
    expect(elsewhere.status).toBeLessThan(405);
  });
});
