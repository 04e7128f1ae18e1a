import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleOf } from '../../../shared/http/document/examples.ts';
import type { Answer, Json, TestPortal } from '../../support/portal.ts';
import {
  describedAs,
  document,
  documentedCodes,
  operations,
  type Registered,
  resolve,
} from '../generated/described.ts';
import { createGround } from '../generated/ground.ts';
import { allowOwnTokens } from '../support/limits.ts';
import { codeIn } from '../support/problems.ts';
import { startTypedPortal } from '../support/typed-portal.ts';

let portal: TestPortal;
/** Callers may use every site. */
let given: Record<string, Json>;

beforeAll(async () => {
  portal = await startTypedPortal();
  await allowOwnTokens(portal);
  const domains = await portal.send('GET /api/webui/aggregator/authenticators', {
    token: await portal.login(),
  });
  given = { 'site.create': { authenticators: [domains.body.items[0].id] } };
});
afterAll(() => portal.close());

/** The statuses that an example must not cause, because the request itself would be wrong. */
const ofWrongRequests = ['malformed_json', 'unsupported_media_type', 'malformed_cursor'];
/** Values that only a response can have. */
const placeholders = ['cursor'];
/** Parameters that are valid only together with others, in operations that have those. */
const companions: Record<string, string> = { user_id: '&explain=true' };

/** Operations that end their session get a separate one. */
async function groundOf(operation: Registered) {
  const token = await portal.login();
  const ground = await createGround(portal, token, given).of(operation);
  return { ...ground, token };
}

/** Objects of dispatchers and exports cannot be created here, so that references to them are unknown. */
const namesWhatIsMade = ({ id, path }: Registered, values: Record<string, string>): boolean =>
  id !== 'connection.reconnect' &&
  !id.endsWith('Export') &&
  [...path.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => values[name] !== undefined);

function expectDescribed(operation: Registered, answer: Answer, values: Record<string, string>): void {
  const { status } = answer;
  expect(Object.keys(describedAs(operation).responses)).toContain(String(status));
  if (status < 400) return;
  const code = codeIn(answer);
  expect([code, documentedCodes(operation, status)]).toEqual([code, expect.arrayContaining([code])]);
  expect(ofWrongRequests).not.toContain(code);
  if (namesWhatIsMade(operation, values)) expect(code).not.toBe('not_found');
}

const mediaTypesOf = (operation: Registered): string[] =>
  Object.keys(describedAs(operation).requestBody.content);

describe('the example of a request body', () => {
  it.each(operations.filter(({ body }) => body))('of $id is accepted by the server', async (operation) => {
    for (const type of mediaTypesOf(operation)) {
      const { path, values, token, body } = await groundOf(operation);
      const headers = { 'content-type': type };
      const answer = await portal.send(`${operation.method} ${path}`, { token, body, headers });
      expect(answer.body?.errors ?? []).toEqual([]);
      expectDescribed(operation, answer, values);
    }
  });
});

describe('the example of a parameter', () => {
  const parametersOf = (operation: Registered): Json[] =>
    describedAs(operation)
      .parameters.map(resolve)
      .filter((parameter: Json) => parameter.in === 'query' && !placeholders.includes(parameter.name));
  const asked = operations.filter((operation) => parametersOf(operation).length > 0);

  it.each(asked)('of $id is accepted by the server', async (operation) => {
    const { path, token, body } = await groundOf(operation);
    const parameters = parametersOf(operation);
    const explains = parameters.some(({ name }) => name === 'explain');
    const queryOf = ({ name, schema }: Json) =>
      `${name}=${encodeURIComponent(String(exampleOf(schema, document.components.schemas)))}`;
    for (const parameter of parameters) {
      const { name } = parameter;
      const asked = [parameter, ...parameters.filter((one) => one.required && one !== parameter)];
      const answer = await portal.send(
        `${operation.method} ${path}?${asked.map(queryOf).join('&')}${(explains && companions[name]) || ''}`,
        { token, body },
      );
      expect([name, answer.body?.errors ?? []]).toEqual([name, []]);
      expectDescribed(operation, answer, {});
    }
  });
});
