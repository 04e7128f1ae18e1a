import { beforeAll, describe, expect, it } from 'vitest';
import { lintDocument } from '../../../shared/tooling/document/lint.ts';
import { smallDocument } from '../../support/documents/small-document.ts';
import type { Json } from '../../support/portal.ts';
import { document } from '../generated/described.ts';

const sites = '/api/webui/aggregator/sites';
const query = (name: string): Json => ({ name, in: 'query', schema: { type: 'string', maxLength: 9 } });

/** A violation of each rule, at the location that the linter must report. */
const breaches: [rule: string, place: string, breaks: (broken: Json) => void][] = [
  ['api1-no-numeric-ids', 'sites~1{id}', ({ paths }) => Object.assign(idOf(paths), { type: 'integer' })],
  ['api2-no-http-basic', 'Basic', (broken) => addScheme(broken, 'Basic', { type: 'http', scheme: 'basic' })],
  [
    'api2-auth-insecure-schemes',
    'Old',
    (broken) => addScheme(broken, 'Old', { type: 'http', scheme: 'oauth' }),
  ],
  [
    'api2-no-api-keys-in-url',
    'Key',
    (broken) => addScheme(broken, 'Key', { type: 'apiKey', in: 'query', name: 'x' }),
  ],
  [
    'api2-no-credentials-in-url',
    'livez',
    ({ paths }) => paths['/livez'].get.parameters.push(query('access_token')),
  ],
  ['api2-restricted', 'sites/post', ({ paths }) => Object.assign(paths[sites].post, { security: [] })],
  ['api4-rate-limit', 'sites/post', (broken) => removeHeader(broken, 'RateLimit')],
  ['api4-rate-limit-retry-after', 'sites/post', (broken) => removeHeader(broken, 'Retry-After')],
  ['api4-rate-limit-responses-429', 'sites/get', ({ paths }) => delete paths[sites].get.responses[429]],
  ['api4-array-limit', 'SiteWrite', (broken) => delete memberOf(broken, 'users').maxItems],
  ['api4-string-limit', 'SiteWrite', (broken) => delete memberOf(broken, 'uri').maxLength],
  ['api4-integer-limit', 'SiteWrite', (broken) => delete memberOf(broken, 'priority').maximum],
  ['api4-integer-format', 'SiteWrite', (broken) => delete memberOf(broken, 'priority').format],
  [
    'api7-concerning-url-parameter',
    'livez',
    ({ paths }) => paths['/livez'].get.parameters.push(query('callback_url')),
  ],
  [
    'api8-no-server-http',
    'servers',
    (broken) => broken.servers.push({ url: 'http://x.example', 'x-internal': true }),
  ],
  ['api8-define-error-responses-401', 'sites/get', ({ paths }) => delete paths[sites].get.responses[401]],
  ['api8-define-error-responses-500', 'sites/get', ({ paths }) => delete paths[sites].get.responses[500]],
  ['api8-define-error-validation', 'sites/get', ({ paths }) => removeResponses(paths[sites].get, 400, 422)],
  ['api9-inventory-access', 'servers/0', (broken) => delete broken.servers[0]['x-internal']],
  ['api9-inventory-environment', 'servers/0', (broken) => delete broken.servers[0].description],
];

const memberOf = ({ components }: Json, name: string): Json => components.schemas.SiteWrite.properties[name];
const idOf = (paths: Json): Json =>
  paths[`${sites}/{id}`].get.parameters.find(({ name }: Json) => name === 'id').schema;

function addScheme({ components }: Json, name: string, scheme: object): void {
  components.securitySchemes[name] = scheme;
}

function removeHeader({ paths, components }: Json, name: string): void {
  const { responses } = paths[sites].post;
  // Shared with other operations until it is replaced.
  const shared = components.responses[String(responses[429].$ref).replace('#/components/responses/', '')];
  responses[429] = responses[429].$ref ? structuredClone(shared) : responses[429];
  delete responses[429].headers[name];
}

function removeResponses({ responses }: Json, ...statuses: number[]): void {
  for (const status of statuses) delete responses[status];
}

describe('the OWASP ruleset', () => {
  let faults: string[];
  beforeAll(async () => {
    const broken = smallDocument(document);
    for (const [, , breaks] of breaches) breaks(broken);
    faults = await lintDocument(JSON.stringify(broken));
  });

  it.each(breaches)('reports a violation of %s, at %s', (rule, place) =>
    expect(faults.filter((fault) => fault.startsWith(`owasp/${rule} at `))).toContainEqual(
      expect.stringContaining(place),
    ));

  // The whole document is a part of `npm run check`.
  it('reports nothing in a document without violations', async () =>
    expect(await lintDocument(JSON.stringify(smallDocument(document)))).toEqual([]));
});
