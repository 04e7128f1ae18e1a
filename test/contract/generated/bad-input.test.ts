import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyLimitOf } from '../../../shared/http/serve/body-limits.ts';
import { jsonLimits } from '../../../shared/kernel/json/scan.ts';
import { measure } from '../../support/http/json-measure.ts';
import type { Answer, SendOptions, TestPortal } from '../../support/portal.ts';
import { type Credentials, createCredentials } from '../support/credentials.ts';
import { liftLimits } from '../support/limits.ts';
import { codeIn, expectProblem, pointersIn } from '../support/problems.ts';
import { startTypedPortal } from '../support/typed-portal.ts';
import { digestOf, expectHarmless } from '../support/unharmed.ts';
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
/** Sessions that no login can lock out: one an operation, because some end theirs. */
const tokens: string[] = [];

beforeAll(async () => {
  process.stdout.write(`bad input: seed ${seed}, ${runs} runs an operation\n`);
  portal = await startTypedPortal();
  await liftLimits(portal);
  for (const _ of operations) tokens.push(await portal.login());
  const token = await portal.login();
  credentials = await createCredentials(portal, token);
  const domains = await portal.send('GET /api/webui/aggregator/authenticators', { token });
  // The callers of these tests may use every site.
  ground = createGround(portal, token, { 'site.create': { authenticators: [domains.body.items[0].id] } });
});
afterAll(() => portal.close());

const withBody = operations.filter(({ body }) => body);
/** What it is told would end the sessions of these tests, or limit them; a file of its own looks at it. */
const servesAtWill = withBody.filter(({ id }) => id !== 'systemParameters.replace');
const withParameters = operations.filter(({ path }) => path.includes('{'));

async function send(
  operation: Registered,
  { path }: Ground,
  { headers, ...options }: SendOptions & { query?: string } = {},
): Promise<Answer> {
  const answer = await portal.send(`${operation.method} ${path}${options.query ?? ''}`, {
    token: tokens[operations.indexOf(operation)],
    // Attempts to log in count against the address that they come from, and so do wrong tokens of agents.
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

/** What the declaration of the operation says of a body. */
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

/** One of the faults must be in what was changed: at it, within it, or in what it is a part of. */
function expectPointer(answer: Answer, { pointer, text }: Mutant): void {
  const told = pointersIn(answer);
  const isNear = told.some((other) => isWithin(other, pointer) || isWithin(pointer, other));
  expect(isNear, `${pointer} of ${text.slice(0, 300)} is not among ${told}`).toBe(true);
}

const isWithin = (one: string, other: string): boolean =>
  one === other || (one.startsWith(other) && one[other.length] === '/');

/** Sends the mutant. @returns the answer, refused exactly when it does not fit the declaration */
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

/** Several at once, because a portal that waits for its database can do something else. */
async function each<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < all.length; from += 8) await Promise.all(all.slice(from, from + 8).map(work));
}

describe('a body', () => {
  it.each(
    withBody,
  )('of $id that does not fit is refused at its place, and nothing is written', async (operation) => {
    const at = await ground.of(operation);
    const places = placesOf(bodySchemaOf(operation), at.body);
    const mutants = mutantsOf(places);
    const refused = chosen(mutants, 1, (mutant) => verdictOn(operation, mutant) !== 'valid');
    const before = await digestOf(portal);
    await each(refused, (mutant) => sendMutant(operation, at, mutant));
    expect(await digestOf(portal)).toBe(before);
  });

  it.each(servesAtWill)('of $id that fits is served, or refused with nothing written', async (operation) => {
    const at = await ground.of(operation);
    const places = placesOf(bodySchemaOf(operation), at.body);
    const fitting = chosen(mutantsOf(places), 1 / 4, (mutant) => verdictOn(operation, mutant) === 'valid');
    let digest: string | undefined;
    for (const mutant of fitting) digest = await expectAllOrNothing(operation, at, mutant, digest);
  });

  it.each(servesAtWill)('of $id, whatever JSON stands in it, is refused or fits', async (operation) => {
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
 * What fits is written whole, reads as it was sent and may be sent back; what is refused leaves nothing.
 * @param known the digest of the database, when nothing was written since it was made
 * @returns the same for the next mutant
 */
async function expectAllOrNothing(
  operation: Registered,
  at: Ground,
  mutant: Mutant,
  known?: string,
): Promise<string | undefined> {
  const before = known ?? (await digestOf(portal));
  const answer = await sendMutant(operation, at, mutant);
  if (answer.status >= 400 && answer.status < 500) {
    expect(await digestOf(portal), `${operation.id} ${mutant.text.slice(0, 300)}`).toBe(before);
    return before;
  }
  const isWhole = answer.status === 201 || (operation.method === 'PUT' && answer.status === 200);
  if (isWhole) expectAsSent(operation, answer, mutant);
  if (isWhole && operation.conditional) await expectSentBack(operation, at, answer);
  return undefined;
}

function expectAsSent({ body }: Registered, answer: Answer, { text }: Mutant): void {
  const read: object = answer.body;
  const taken: unknown = body && 'required' in body ? body.required.parse(JSON.parse(text)) : {};
  // `null` sets the default, which may be a moment or another member.
  for (const [name, value] of Object.entries(JSON.parse(JSON.stringify(taken))))
    if (value !== null && Object.hasOwn(read, name) && !Object.hasOwn(read, `${name}_set`))
      expect([name, Reflect.get(read, name)]).toEqual([name, value]);
}

async function expectSentBack(operation: Registered, at: Ground, { body, headers }: Answer): Promise<void> {
  const again = await send(operation, at, { body });
  expect([again.status, again.body]).toEqual([200, { ...body, updated_at: again.body.updated_at }]);
  const revision = (from: Headers) => Number(/^"(\d+)\./.exec(from.get('etag') ?? '')?.[1]);
  expect(revision(again.headers)).toBe(revision(headers) + 1);
}

describe('a query', () => {
  it.each(operations)('of $id with odd values is served or refused', async (operation) => {
    const at = await ground.of(operation);
    const names = describedAs(operation)
      .parameters.filter((parameter: { in: string }) => parameter.in === 'query')
      .map(({ name }: { name: string }) => name);
    const queries = [...names, '__proto__', '', 'limit', 'sort'].flatMap((name) =>
      oddParameters.map((value) => `?${name}=${value}`),
    );
    const isRead = operation.method === 'GET';
    const before = await digestOf(portal);
    await each(chosen(queries, 1 / 2), async (query) => {
      const answer = await send(operation, at, { query, ...(isRead ? {} : { body: '{}' }) });
      expectHarmless(answer, operation, query);
      if (names.includes(query.slice(1, query.indexOf('=')))) return;
      expectProblem(answer, 'invalid_request', operation);
    });
    // What it begins when it is served is no harm.
    if (!operation.begins) expect(await digestOf(portal)).toBe(before);
  });
});

/** A site may be called so, and other tests may have made one. */
const isSlug = (segment: string): boolean => /^[a-z0-9](-?[a-z0-9]){0,62}$/.test(segment);

/** Their answer to what names nothing is a picture. */
const neverAbsent = ['image.getOfService', 'image.get'];

describe('an address', () => {
  it.each(
    withParameters.filter(({ id }) => !neverAbsent.includes(id)),
  )('of $id with an identifier of no form names nothing', async (operation) => {
    const at = await ground.of(operation);
    const before = await digestOf(portal);
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
    expect(await digestOf(portal)).toBe(before);
  });
});

describe('headers', () => {
  it.each(operations)('of $id may be garbage', async (operation) => {
    const at = await ground.of(operation);
    for (const [name, value] of chosen(oddHeaders, 1 / 3)) {
      const type = operation.body ? { 'content-type': 'application/json' } : {};
      const answer = await send(operation, at, { body: at.body, headers: { ...type, [name]: value } });
      expectHarmless(answer, operation, `${name}: ${value}`);
      expect(answer.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
    }
  });
});
