import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import type { Json } from '../../support/portal.ts';
import { describedAs, document, type Registered, resolve } from './described.ts';

/** The response to a request, and the request as text. */
export type Reply = { sent: string; status: number; headers: Headers; text: string };

const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true });
addFormats.default(ajv);
for (const format of ['int32', 'int64', 'double', 'password']) ajv.addFormat(format, true);
ajv.addSchema({ $id: 'document:', components: document.components });

const compiled = new Map<string, ValidateFunction>();

/** The check of a schema, compiled once for each place of the document. */
function validatorOf(key: string, schema: Json): ValidateFunction {
  const known = compiled.get(key);
  if (known) return known;
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document:#/'));
  const validate = ajv.compile(absolute);
  compiled.set(key, validate);
  return validate;
}

/** A 5xx is documented for nodes and for load; the database of these tests is available. */
const isNoFault = (status: number, code: string): boolean =>
  status < 500 || /^(upstream_|gateway_|overloaded$)/.test(code);

/**
 * Asserts that the document has the status, the media type, the headers and the body of a response, and that the portal
 * did not fail.
 */
export function expectConforming(operation: Registered, { sent, status, headers, text }: Reply): void {
  const what = `${operation.id}: ${sent}\n${status} ${text.slice(0, 600)}`;
  const responses = describedAs(operation).responses;
  const response = resolve(responses[status]);
  expect(Object.keys(responses), what).toContain(String(status));
  expectHeaders(response, headers, what);
  const sentType = headers.get('content-type');
  const type = sentType?.split(';')[0];
  const declared = Object.keys(response.content ?? {});
  if (text === '') {
    expect(declared.length === 0 || status === 304, what).toBe(true);
    return;
  }
  expect(declared, what).toContain(type);
  if (!type?.includes('json')) return;
  expect(sentType, what).toBe(`${type}; charset=utf-8`);
  if (type === 'application/x-ndjson') return;
  const body: Json = JSON.parse(text);
  if (status >= 500) expect(isNoFault(status, String(body.code ?? body.error)), what).toBe(true);
  const media = response.content[type];
  if (!media.schema || Object.keys(media.schema).length === 0) return;
  const validate = validatorOf(`${operation.id} ${status} ${type}`, media.schema);
  expect(validate(body) ? [] : validate.errors, what).toEqual([]);
}

/** Headers of only some responses of a status. */
const occasional = [
  'Link',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'ETag',
  'Location',
  'X-Consistency-Token',
];

function expectHeaders(response: Json, headers: Headers, what: string): void {
  for (const [name, given] of Object.entries<Json>(response.headers ?? {})) {
    const value = headers.get(name);
    if (value === null) {
      expect(occasional, `${name} is absent; ${what}`).toContain(name);
      continue;
    }
    const { schema } = resolve(given);
    const read = schema.type === 'integer' ? Number(value) : value;
    const validate = validatorOf(`header ${name}`, schema);
    expect(validate(read) ? [] : validate.errors, `${name}: ${value}; ${what}`).toEqual([]);
  }
}
