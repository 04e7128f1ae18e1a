import { describe, expect, it } from 'vitest';
import { useWorld } from '../../../../support/factories.ts';
import { addScimUser, type ScimClient, startScim } from '../../../../support/identity/scim.ts';
import { microsoft } from './microsoft.ts';
import { okta } from './okta.ts';
import { rfc } from './rfc.ts';
import type { Sample } from './samples.ts';

const world = useWorld();

/** The identifiers of the resources that the samples before have created. */
type Known = Record<string, string>;
const filled = <T>(value: T, known: Known): T =>
  JSON.parse(JSON.stringify(value).replace(/\{(user|other|group)\}/g, (place, name) => known[name] ?? place));

const encodedQuery = (route: string): string =>
  route.replace(
    /filter=([^&]*)/,
    (_, filter: string) => `filter=${encodeURIComponent(decodeURIComponent(filter))}`,
  );

async function send(scim: ScimClient, sample: Sample, known: Known): Promise<void> {
  const { route, body, expected = {} } = filled(sample, known);
  const answer = await scim.ask(encodedQuery(route), body, { 'user-agent': 'Okta SCIM Client 1.0.0' });
  expect(answer.status, JSON.stringify(answer.body)).toBe(sample.status);
  expect(answer.body === '' ? {} : answer.body).toMatchObject(expected);
  if (route === 'POST /Users' && answer.status === 201) known.user = answer.body.id;
  if (route === 'POST /Groups' && answer.status === 201) known.group = answer.body.id;
}

describe.each([
  ['Microsoft Entra ID', microsoft],
  ['Okta', okta],
  ['RFC 7643 and 7644', rfc],
])('the published requests of %s', (_, samples) => {
  it('have the described responses, one after the other', async () => {
    const scim = await startScim(world);
    const known: Known = { other: (await addScimUser(scim)).id };
    for (const sample of samples)
      await send(scim, sample, known).catch((error: Error) => {
        throw new Error(`${sample.title}: ${error.message}`, { cause: error });
      });
  });
});
