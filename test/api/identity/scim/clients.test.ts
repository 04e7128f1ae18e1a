import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { groups } from '../../../../db/schema/identity/groups.ts';
import { usersPath, useWorld } from '../../../support/factories.ts';
import { addScimUser, type ScimClient, startScim } from '../../../support/identity/scim.ts';
import { clients } from '../../../support/identity/scim-clients/clients.ts';
import type { State, Step } from '../../../support/identity/scim-clients/life.ts';
import { readByOthers } from '../../../support/identity/scim-definitions.ts';
import type { Json } from '../../../support/portal.ts';

const world = useWorld();

/** Responses that are not whole resources. */
const partial = /attributes=|Attributes=|^POST \/Bulk/;

/** The identifiers of the resources that the steps before have created. */
type Known = { other: string; user?: string; group?: string };
const filled = <T>(value: T, known: Known): T =>
  JSON.parse(
    JSON.stringify(value).replace(
      /\{(user|other|group)\}/g,
      (place, name: keyof Known) => known[name] ?? place,
    ),
  );

const encodedQuery = (route: string): string =>
  route.replace(
    /filter=([^&]*)/,
    (_, filter: string) => `filter=${encodeURIComponent(decodeURIComponent(filter))}`,
  );

async function send(scim: ScimClient, step: Step, headers: Record<string, string>, known: Known) {
  const { route, body, expected = {} } = filled(step, known);
  const answer = await scim.ask(encodedQuery(route), body, headers);
  expect(answer.status, JSON.stringify(answer.body)).toBe(step.status);
  expect(answer.body === '' ? {} : answer.body).toMatchObject(expected);
  if (answer.status < 300 && answer.body !== '' && !partial.test(route)) {
    const { read, own } = readByOthers(answer.body);
    expect(read).toEqual(own);
  }
  if (route === 'POST /Users' && answer.status === 201) known.user = answer.body.id;
  if (route === 'POST /Groups' && answer.status === 201) known.group = answer.body.id;
}

/** Compares the state with what administrators read, and with what the client reads. */
async function expectState(scim: ScimClient, { person, group, members }: State, known: Known) {
  if (person !== undefined) {
    const { body } = await world.admin(`GET ${usersPath(scim.domain)}/${known.user}`);
    const { status, body: seen } = await scim.ask(`GET /Users/${known.user}`);
    if (person === 'gone') expect([status, body.state]).toEqual([404, 'inactive']);
    else {
      const { name, real_name, email, state } = body;
      expect({ name, real_name, email, state }).toEqual(person);
      expect([seen.userName, seen.displayName, seen.emails[0].value, seen.active]).toEqual([
        ...[person.name, person.real_name, person.email, person.state === 'active'],
      ]);
    }
  }
  if (group === 'gone') {
    expect((await scim.ask(`GET /Groups/${known.group}`)).status).toBe(404);
    const rows = await world.portal.db.$count(groups, eq(groups.id, String(known.group)));
    expect(rows).toBe(0);
  } else if (group !== undefined)
    expect((await scim.ask(`GET /Groups/${known.group}`)).body.displayName).toBe(group);
  if (members) {
    const { items } = (await world.admin(`GET ${usersPath(scim.domain)}?group=${known.group}`)).body;
    const ids = members.map((name) => known[name]).sort();
    expect(items.map(({ id }: Json) => id).sort()).toEqual(ids);
    const seen = (await scim.ask(`GET /Groups/${known.group}`)).body.members;
    expect(seen.map(({ value }: Json) => value).sort()).toEqual(ids);
  }
}

describe.each(clients)('the requests of $client', ({ steps, headers = {} }) => {
  it('have the described responses and effects, one after the other', async () => {
    const scim = await startScim(world);
    const known: Known = { other: (await addScimUser(scim)).id };
    for (const step of steps)
      try {
        await send(scim, step, headers, known);
        if (step.state) await expectState(scim, step.state, known);
      } catch (error) {
        throw new Error(`${step.title}: ${error instanceof Error ? error.message : error}`, { cause: error });
      }
  });
});
