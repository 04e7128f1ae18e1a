import { describe, expect, it } from 'vitest';
import { lintDocument } from '../../../shared/tooling/document/lint.ts';
import { smallDocument } from '../../support/documents/small-document.ts';
import type { Json } from '../../support/portal.ts';
import { document } from '../generated/described.ts';

const sites = '/api/webui/aggregator/sites';

/** A violation of each rule. */
const breaches: [rule: string, breaks: (broken: Json) => void][] = [
  [
    'portable-pattern',
    ({ components }) =>
      Object.assign(components.schemas.SiteWrite.properties.name, { pattern: '^\\P{Cc}*$' }),
  ],
  [
    'component-name',
    ({ components }) => Object.assign(components.headers, { 'a.b': components.headers.ETag }),
  ],
  ['malformed-request', ({ paths }) => delete paths[sites].get.responses[400]],
  ['servers-of-path', ({ paths }) => Object.assign(paths[sites].get, { servers: [{ url: '/' }] })],
  ['code-samples', ({ paths }) => paths[sites].get['x-codeSamples'].pop()],
  [
    'info-topics',
    ({ info }) => Object.assign(info, { description: info.description.replace('## Paging', '## Pages') }),
  ],
];

describe('the rules of the OpenAPI document', () => {
  it.each(breaches)('%s reports a violation', { timeout: 60_000 }, async (rule, breaks) => {
    const broken = smallDocument(document);
    breaks(broken);
    const faults = await lintDocument(JSON.stringify(broken));
    expect(faults.filter((fault) => fault.startsWith(`portal/${rule} `))).toHaveLength(1);
  });

  // The whole document is a part of `npm run check`.
  it('report nothing in a document without violations', async () => {
    expect(await lintDocument(JSON.stringify(smallDocument(document)))).toEqual([]);
  });

  it('require the health paths on their own server, and no other path there', () => {
    const elsewhere = Object.keys(document.paths).filter((path) => document.paths[path].servers);
    const paths = ['check', 'check/{key}', 'metrics'].map((path) => `/aggregator/health/${path}`);
    expect(elsewhere).toEqual(paths);
    const { 200: pass, 503: fail } = document.paths['/aggregator/health/check'].get.responses;
    const shown = [pass, fail].map((response: Json) => response.content['application/json'].example.status);
    expect(shown).toEqual(['pass', 'fail']);
  });

  it('require a unique description of each tag', () => {
    const texts = document.tags.map(({ description }: Json) => description);
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts.filter((text: string) => text.length < 40)).toEqual([]);
  });
});
