import { Buffer } from 'node:buffer';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPage } from '../../../shared/http/declare/page-query.ts';
import { bodyLimitOf } from '../../../shared/http/serve/body-limits.ts';
import { jsonLimits } from '../../../shared/kernel/json/scan.ts';
import { measure } from '../../support/http/json-measure.ts';
import type { Answer, SendOptions, TestPortal } from '../../support/portal.ts';
import { type Credentials, createCredentials } from '../support/credentials.ts';
import { liftLimits } from '../support/limits.ts';
import { codeIn, expectProblem, pointersIn } from '../support/problems.ts';
import { createSessions } from '../support/sessions.ts';
import { startTypedPortal } from '../support/typed-portal.ts';
import { expectHarmless, writesIn } from '../support/unharmed.ts';
import { describedAs, operations, pathOf, type Registered } from './described.ts';
import { chosen, property, runs, seed } from './effort.ts';
import { bodySchemaOf, createGround, type Ground } from './ground.ts';
import {
  anyMutant,
  type Mutant,
  mutantsOf,
  oddHeaders,
  oddParameters,
  oddSegments,
  type Place,
  placesOf,
} from './hostile.ts';

let portal: TestPortal;
let ground: ReturnType<typeof createGround>;
let credentials: Credentials;
/** Sessions that no login can lock: one per operation, because some end theirs. */
const tokens: string[] = [];

beforeAll(async () => {
  process.stdout.write(`bad input: seed ${seed}, ${runs} runs an operation\n`);
  portal = await startTypedPortal();
  await liftLimits(portal);
  const token = await portal.login();
  const sessions = await createSessions(portal, token);
  for (const { id } of operations) {
    // The other sessions of the administrator are in use.
    const isOfAnother = id === 'userinfo.endOtherSessions';
    tokens.push(await (isOfAnother ? sessions.withoutRole() : portal.login()));
  }
  credentials = await createCredentials(portal, token);
  const domains = await portal.send('GET /api/webui/aggregator/authenticators', { token });
  // The callers of these tests may use every site.
  ground = createGround(portal, token, { 'site.create': { authenticators: [domains.body.items[0].id] } });
});
afterAll(() => portal.close());

const withBody = operations.filter(({ body }) => body);
/** Its input would end the sessions of these tests, or limit them; a separate file tests it. */
const servesAtWill = withBody.filter(({ id }) => id !== 'systemParameters.replace');
const withParameters = operations.filter(({ path }) => path.includes('{'));

async function send(
  operation: Registered,
  { path }: Ground,
  { headers, ...options }: SendOptions & { query?: string } = {},
): Promise<Answer> {
  const answer = await portal.send(`${operation.method} ${path}${options.query ?? ''}`, {
    token: tokens[operations.indexOf(operation)],
    // Failed logins count against their address, and so do wrong tokens of agents.
    ip: operation.credential?.in === 'header' ? '192.0.2.2' : '192.0.2.1',
    headers: { ...credentials.of(operation), ...headers },
    ...options,
  });
  if (answer.status === 200) await credentials.renew(operation);
  return answer;
}

type Verdict = 'body_too_large' | 'malformed_json' | 'invalid_request' | 'valid';

function exceeds(value: unknown): boolean {
  const { depth, widest, values } = measure(value);
  return depth > jsonLimits.depth || widest > jsonLimits.members || values > jsonLimits.values;
}

/** The declared schema of the body of an operation. */
function verdictOn(operation: Registered, { text, saysTwice }: Mutant): Verdict {
  const { body } = operation;
  if (Buffer.byteLength(text) > bodyLimitOf(operation)) return 'body_too_large';
  if (text === '') return body && 'required' in body ? 'invalid_request' : 'valid';
  const shape = body && ('required' in body ? body.required : body.optional);
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (exceeds(value)) return 'invalid_request';
    if (saysTwice || !isObject) return 'malformed_json';
    const isStorable = !/\\u0000|\\ud[89a-f]/.test(JSON.stringify(value));
    return isStorable && shape?.safeParse(value).success ? 'valid' : 'invalid_request';
  } catch {
    return 'malformed_json';
  }
}

/** One of the errors must be at the change: at it, within it, or at its parent. */
function expectPointer(answer: Answer, { pointer, text }: Mutant): void {
  const pointers = pointersIn(answer);
  const isNear = pointers.some((other) => isWithin(other, pointer) || isWithin(pointer, other));
  expect(isNear, `${pointer} of ${text.slice(0, 300)} is not among ${pointers}`).toBe(true);
}

const isWithin = (one: string, other: string): boolean =>
  one === other || (one.startsWith(other) && one[other.length] === '/');

/** Sends the mutant. @returns the response, refused exactly when the mutant does not match the declaration */
async function sendMutant(operation: Registered, at: Ground, mutant: Mutant): Promise<Answer> {
  const answer = await send(operation, at, { body: mutant.text });
  const verdict = verdictOn(operation, mutant);
  expectHarmless(answer, operation, mutant.text);
  if (verdict === 'valid') return answer;
  expect(codeIn(answer), `${mutant.pointer} ${mutant.text.slice(0, 300)}`).toBe(verdict);
  expectProblem(answer, verdict, operation);
  if (verdict === 'invalid_request') expectPointer(answer, mutant);
  return answer;
}

/** Concurrently, because a portal that waits for its database has free CPU time. */
async function each<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < all.length; from += 8) await Promise.all(all.slice(from, from + 8).map(work));
}

it('the count of written rows rises with a write, also of the same values', async () => {
  const before = await writesIn(portal);
  await portal.db.execute(sql`update authenticators set name = name`);
  expect(await writesIn(portal)).not.toBe(before);
});

describe('a generated body', () => {
  it.each(
    withBody,
  )('of $id that is invalid is rejected at its pointer, and nothing is written', async (operation) => {
    const at = await ground.of(operation);
    const places = placesOf(bodySchemaOf(operation), at.body);
    const mutants = mutantsOf(places);
    const refused = chosen(mutants, 1, (mutant) => verdictOn(operation, mutant) !== 'valid');
    const before = await writesIn(portal);
    await each(refused, (mutant) => sendMutant(operation, at, mutant));
    expect(await writesIn(portal)).toBe(before);
  });

  it.each(
    servesAtWill,
  )('of $id that is valid is accepted, or refused with nothing written', async (operation) => {
    const at = await ground.of(operation);
    const places = placesOf(bodySchemaOf(operation), at.body);
    const fitting = chosen(mutantsOf(places), 1 / 4, (mutant) => verdictOn(operation, mutant) === 'valid');
    let digest: string | undefined;
    for (const mutant of fitting) digest = await expectAllOrNothing(operation, at, mutant, digest);
  });

  it.each(servesAtWill)('of $id with any JSON is rejected or valid', async (operation) => {
    const at = await ground.of(operation);
    const places: Place[] = placesOf(bodySchemaOf(operation), at.body);
    await fc.assert(
      fc.asyncProperty(anyMutant(places), async (mutant) => {
        await sendMutant(operation, at, mutant);
      }),
      property(1 / 4),
    );
  });
});

/**
 * A valid body is written completely, reads as it was sent and may be sent back; a rejected one changes nothing.
 * @param known the digest of the database, when nothing was written since it was computed
 * @returns the same for the next mutant
 */
async function expectAllOrNothing(
  operation: Registered,
  at: Ground,
  mutant: Mutant,
  known?: string,
): Promise<string | undefined> {
  const before = known ?? (await writesIn(portal));
  const answer = await sendMutant(operation, at, mutant);
  if (answer.status >= 400 && answer.status < 500) {
    expect(await writesIn(portal), `${operation.id} ${mutant.text.slice(0, 300)}`).toBe(before);
    return before;
  }
  const isWhole = answer.status === 201 || (operation.method === 'PUT' && answer.status === 200);
  if (isWhole) expectAsSent(operation, answer, mutant);
  if (isWhole && operation.conditional) await expectSentBack(operation, at, answer);
  return undefined;
}

function expectAsSent({ body }: Registered, answer: Answer, { text }: Mutant): void {
  const taken: unknown = body && 'required' in body ? body.required.parse(JSON.parse(text)) : {};
  expectMembers(answer.body, JSON.parse(JSON.stringify(taken)));
}

/** Compares the members that were sent with what is read, also of objects that were created together. */
function expectMembers(read: object, sent: object): void {
  // `null` sets the default, which may be a time or another member.
  for (const [name, value] of Object.entries(sent))
    if (value !== null && Object.hasOwn(read, name) && !Object.hasOwn(read, `${name}_set`)) {
      const found: unknown = Reflect.get(read, name);
      if (isObject(value) && isObject(found)) expectMembers(found, value);
      else expect([name, found]).toEqual([name, value]);
    }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

async function expectSentBack(operation: Registered, at: Ground, { body, headers }: Answer): Promise<void> {
  const again = await send(operation, at, { body });
  expect([again.status, again.body]).toEqual([200, { ...body, updated_at: again.body.updated_at }]);
  const revision = (from: Headers) => Number(/^"(\d+)\./.exec(from.get('etag') ?? '')?.[1]);
  expect(revision(again.headers)).toBe(revision(headers) + 1);
}

/** A refresh calls the nodes, and counts the failures of a node. */
const apartFromNodes = (writes: string): string => writes.replace(/(^|\n)dispatchers \d+/, '');

describe('a generated query', () => {
  it.each(operations)('of $id with unusual values is accepted or rejected', async (operation) => {
    const at = await ground.of(operation);
    const names = describedAs(operation)
      .parameters.filter((parameter: { in: string }) => parameter.in === 'query')
      .map(({ name }: { name: string }) => name);
    const queries = [...names, '__proto__', '', 'limit', 'sort'].flatMap((name) =>
      oddParameters.map((value) => `?${name}=${value}`),
    );
    const isRead = operation.method === 'GET';
    const before = await writesIn(portal);
    await each(chosen(queries, 1 / 2), async (query) => {
      const answer = await send(operation, at, { query, ...(isRead ? {} : { body: '{}' }) });
      expectHarmless(answer, operation, query);
      if (isPage(operation) || names.includes(query.slice(1, query.indexOf('=')))) return;
      expectProblem(answer, 'invalid_request', operation);
    });
    // The effect of a successful call is harmless.
    if (operation.begins) return;
    const after = await writesIn(portal);
    if (names.includes('refresh')) expect(apartFromNodes(after)).toBe(apartFromNodes(before));
    else expect(after).toBe(before);
  });
});

/** A site may have this name, and other tests may have created one. */
const isSlug = (segment: string): boolean => /^[a-z0-9](-?[a-z0-9]){0,62}$/.test(segment);

/**
 * Their response for an unknown object is an image, the error of a farm that may have the object, or depends on the
 * address alone.
 */
const neverAbsent = ['image.getOfService', 'image.get', 'session.end', 'program.getMetadata'];

describe('a generated path', () => {
  it.each(
    withParameters.filter(({ id }) => !neverAbsent.includes(id)),
  )('of $id with a malformed identifier is 404', async (operation) => {
    const at = await ground.of(operation);
    const before = await writesIn(portal);
    for (const [, name = ''] of operation.path.matchAll(/\{(\w+)\}/g))
      await each(
        chosen(oddSegments.filter((segment) => name !== 'site_uri' || !isSlug(segment))),
        async (segment) => {
          const path = pathOf(operation, { ...at.values, [name]: segment });
          const answer = await send(operation, { ...at, path }, { body: at.body });
          expectHarmless(answer, operation, path);
          expect([answer.status, path]).toEqual([404, path]);
        },
      );
    expect(await writesIn(portal)).toBe(before);
  });
});

describe('generated headers', () => {
  it.each(operations)('of $id may be malformed', async (operation) => {
    const at = await ground.of(operation);
    for (const [name, value] of chosen(oddHeaders, 1 / 3)) {
      const type = operation.body ? { 'content-type': 'application/json' } : {};
      const answer = await send(operation, at, { body: at.body, headers: { ...type, [name]: value } });
      expectHarmless(answer, operation, `${name}: ${value}`);
      expect(answer.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
    }
  });
});
