import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Shape } from '../../../shared/http/declare/operation.ts';
import { documentOf } from '../../../shared/http/document/document.ts';
import { Problem, ResultRefusal } from '../../../shared/http/document/problems.ts';
import { documentForms } from '../../../shared/http/document/text.ts';
import { type ErrorCode, problemProperties } from '../../../shared/kernel/errors.ts';
import { clientOperationsOf } from '../../../shared/tooling/build/client-types.ts';
import { lintDocument } from '../../../shared/tooling/document/lint.ts';
import { readSources } from '../../structure/sources.ts';
import { smallDocument } from '../../support/documents/small-document.ts';
import type { Json } from '../../support/portal.ts';
import {
  answersInResultForm,
  describedAs,
  document,
  modules,
  everyOperation as operations,
  type Registered,
  refusalType,
  resolve,
  shownIn,
} from '../generated/described.ts';
import { faultsOf } from './openapi-rules.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const committed = readFileSync(join(root, 'shared/openapi/openapi.json'), 'utf8');
const described: Json[] = Object.values<Json>(document.paths).flatMap(({ servers: _, ...verbs }) =>
  Object.values(verbs),
);

describe('the OpenAPI document', () => {
  it('is equal to the generated one: run `npm run openapi`', () => {
    expect(JSON.parse(committed)).toEqual(document);
    expect(committed).toBe(`${documentForms.json(documentOf(modules), 2)}\n`);
  });

  it('is the source of the generated client: run `npm run openapi`', () => {
    const generated = readFileSync(join(root, 'shared/client/operations.ts'), 'utf8');
    expect(generated).toBe(clientOperationsOf(document));
  });

  it('fails the public ruleset when a description is missing', { timeout: 30_000 }, async () => {
    const broken = smallDocument(document);
    delete broken.paths['/livez'].get.description;
    broken.components.examples.SiteWrite.value.name = 7;
    const faults = await lintDocument(JSON.stringify(broken));
    expect(faults.join('\n')).toMatch(/operation-description at .*livez/);
    expect(faults.join('\n')).toContain('no-invalid-media-type-examples');
  });

  it('is valid OpenAPI 3.1', () => expect(faultsOf(document)).toEqual([]));

  it.each<[string, (broken: Json) => void]>([
    ['a reference to nothing', (broken) => delete broken.components.schemas.Site],
    ['an unused component', (broken) => Object.assign(broken.components.schemas, { Unused: {} })],
    [
      'an operation id twice',
      (broken) => Object.assign(broken.paths['/livez'].get, { operationId: 'site.get' }),
    ],
    ['a path parameter that is not described', (broken) => rename(broken.paths, '/livez', '/livez/{id}')],
    ['an answer without a problem', (broken) => delete broken.paths['/livez'].get.responses['500'].$ref],
    ['a keyword of 3.0', (broken) => Object.assign(broken.components.schemas.Site, { nullable: true })],
  ])('would not pass with %s', (_, breaks) => {
    const broken = structuredClone(document);
    breaks(broken);
    expect(faultsOf(broken)).not.toEqual([]);
  });

  it('describes every operation, and otherwise only the health port', () => {
    expect(operations.filter((operation) => !describedAs(operation)).map(({ id }) => id)).toEqual([]);
    const ids = described.map(({ operationId }) => operationId);
    expect(ids.sort()).toEqual(
      [...operations.map(({ id }) => id), 'health.check', 'health.metrics', 'health.summary'].sort(),
    );
  });

  it('groups its tags by modules, each tag once', () => {
    const groups: { name: string; tags: string[] }[] = document['x-tagGroups'];
    expect(groups.flatMap(({ tags }) => tags)).toEqual(document.tags.map(({ name }: Json) => name));
    expect(groups.map(({ name }) => name)).toEqual([...modules.map(({ name }) => name), 'health']);
    const used = new Set(described.flatMap(({ tags }) => tags));
    expect(document.tags.map(({ name }: Json) => name).sort()).toEqual([...used].sort());
  });

  it('is not imported by any deployed function', () => {
    const importers = readSources().filter(
      ({ path, imports }) =>
        !path.startsWith('test/') &&
        !path.startsWith('shared/tooling/') &&
        !path.startsWith('shared/http/document') &&
        imports.some(({ target }) => target.startsWith('shared/http/document')),
    );
    expect(importers.map(({ path }) => path)).toEqual([]);
  });
});

/** Those of SCIM have their own forms and test. */
const usual = operations.filter(({ protocol }) => protocol === undefined);

describe.each(usual)('$id', (operation) => {
  const own: Json = describedAs(operation);
  const [status, shape] = operation.returns;

  it('has a summary, an audience and a tag', () => {
    expect(own).toMatchObject({ operationId: operation.id, summary: operation.summary });
    const [resource = ''] = operation.id.split('.');
    expect(own.tags).toEqual([resource.replace(/_|(?=[A-Z])/g, ' ').toLowerCase()]);
    const { access, browser } = operation;
    const [requirement] = own.security;
    if (browser && browser !== 'administrator or token' && access !== 'public')
      return expect(own.security).toEqual([{ BrowserSession: [] }]);
    expect(requirement?.SessionToken).toEqual(
      access === 'public' ? undefined : access === 'signed-in' ? [] : [access],
    );
  });

  it('has an accepted request body and a possible response as examples', () => {
    const { body, form } = operation;
    if (body) {
      const accepted = 'required' in body ? body.required : body.optional;
      expectAccepted(accepted, own.requestBody.content, form ? 'application/x-www-form-urlencoded' : json);
    }
    expect(own.requestBody?.required).toBe(body && 'required' in body);
    if (shape) expectAccepted(shape, own.responses[status].content, operation.mediaType ?? json);
    else expect(Object.keys(own.responses[status].content ?? {})).toEqual(operation.alsoReturns ?? []);
  });

  it('has the problems of each status as they are sent', () => {
    const problems = Object.entries<Json>(own.responses).filter(([code]) => Number(code) >= 400);
    const always = [
      '403',
      '500',
      '503',
      ...(operation.exceptErrors?.includes('invalid_request') ? [] : ['422']),
    ];
    expect(problems.map(([code]) => code)).toEqual(expect.arrayContaining(always));
    for (const [code, response] of problems) expectProblems(operation, Number(code), resolve(response));
  });
});

const json = 'application/json';

function rename(paths: Json, from: string, to: string): void {
  paths[to] = paths[from];
  delete paths[from];
}

/** Schemas are generated from the shapes; a shape that accepts their examples proves that nothing was lost. */
function expectAccepted(shape: Shape, content: Json, mediaType: string): void {
  const value = shownIn(content[mediaType]);
  expect(value).toBeDefined();
  expect(shape.safeParse(value).error?.issues ?? []).toEqual([]);
}

function expectProblems(operation: Registered, status: number, { content }: Json): void {
  const isEmpty = operation.orReturns?.[0] === status && operation.orReturns[1] === null;
  expect(content === undefined).toBe(isEmpty);
  if (isEmpty) return;
  const { schema, examples } = content[refusalType(operation)];
  const codes = Object.keys(examples) as ErrorCode[];
  for (const code of codes) expect(problemProperties(code).status).toBe(status);
  const { properties } = schema.allOf[1];
  if (answersInResultForm(operation)) {
    expect(properties.error.pattern).toBe(`^(${codes.join('|')}): `);
    for (const code of codes) expect(ResultRefusal.parse(examples[code].value).error).toContain(`${code}: `);
    return;
  }
  expect(properties.code.enum).toEqual(codes);
  for (const code of codes) {
    expect(
      z
        .object({ status: z.literal(status) })
        .and(Problem)
        .parse(examples[code].value).code,
    ).toBe(code);
  }
}
