import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { users } from '../../../../db/schema/identity/users.ts';
import { newId } from '../../../../shared/kernel/ids.ts';
import { useWorld } from '../../../support/factories.ts';
import {
  addScimGroup,
  addScimUser,
  filtered,
  patchOf,
  type ScimClient,
  startScim,
} from '../../../support/identity/scim.ts';
import type { Answer, Json } from '../../../support/portal.ts';

/** `SCIM_USERS=50000 npm test -- test/api/identity/scim/figures.test.ts` prints the figures of a large domain. */
const size = Number(process.env.SCIM_USERS ?? 2_000);
const members = Math.round(size * 0.4);

const world = useWorld();
let scim: ScimClient;
let group: Json;
let person: Json;

beforeAll(async () => {
  scim = await startScim(world);
  for (let at = 0; at < size; at += 1_000)
    await world.portal.db.insert(users).values(
      Array.from({ length: Math.min(1_000, size - at) }, (_, n) => {
        const name = `person-${at + n}`;
        return { id: newId(), authenticator_id: scim.domain.id, name, name_key: name, directory_id: newId() };
      }),
    );
  group = await addScimGroup(scim);
  await world.portal.db.execute(sql`insert into group_members (group_id, user_id)
    select ${group.id}::uuid, id from users where authenticator_id = ${scim.domain.id} and kind = 'person' limit ${members}`);
  await world.portal.ownerDb.execute(sql`analyze users, group_members`);
  person = await addScimUser(scim);
}, 300_000);

/** The response, the median time in milliseconds and the round trips of one request, after the first ones. */
async function measured(send: () => Promise<Answer>) {
  await send();
  const times: number[] = [];
  let trips = 0;
  let answer = await send();
  for (let n = 0; n < 15; n++) {
    const [before, started] = [world.portal.trips(), performance.now()];
    answer = await send();
    times.push(performance.now() - started);
    trips = world.portal.trips() - before;
  }
  return { answer, trips, ms: times.sort((a, b) => a - b)[7] ?? 0 };
}

const print = (what: string, { trips, ms }: { trips: number; ms: number }) => {
  if (process.env.SCIM_USERS) console.info(`${what}: ${ms.toFixed(1)} ms, ${trips} round trips`);
};

describe('a domain with many users', () => {
  it('finds a user by name in one round trip beside the lookup of the token', async () => {
    const found = await measured(() => scim.ask(filtered('/Users', `userName eq "person-${size - 1}"`)));
    expect(found.answer.body.totalResults).toBe(1);
    expect(found.trips).toBeLessThanOrEqual(2);
    print('userName eq', found);
  });

  it('finds a user by identifier in one round trip', async () => {
    const found = await measured(() => scim.ask(filtered('/Users', `externalId eq "${newId()}"`)));
    expect(found.trips).toBeLessThanOrEqual(2);
    print('externalId eq', found);
  });

  it('shows its first page and a later one in one round trip each', async () => {
    const first = await measured(() => scim.ask('GET /Users?count=100'));
    expect(first.answer.body).toMatchObject({ totalResults: size + 1, itemsPerPage: 100 });
    expect(first.trips).toBeLessThanOrEqual(2);
    print('first page of 100', first);
    const { nextCursor } = (await scim.ask('GET /Users?count=100&cursor=')).body;
    print(
      'next page by cursor',
      await measured(() => scim.ask(`GET /Users?count=100&cursor=${encodeURIComponent(nextCursor)}`)),
    );
  });

  it('changes one member of a large group in one batch, whatever the size of the group', async () => {
    const change = (op: string) =>
      scim.ask(`PATCH /Groups/${group.id}`, patchOf({ op, path: 'members', value: [{ value: person.id }] }));
    const changed = await measured(async () => {
      await change('Remove');
      return change('Add');
    });
    expect(changed.answer.status).toBe(204);
    expect(changed.trips).toBeLessThanOrEqual(4);
    print('PATCH of one member', { trips: changed.trips / 2, ms: changed.ms / 2 });
  });

  it('replaces and shows all members of the group', async () => {
    const shown = await measured(() => scim.ask(`GET /Groups/${group.id}`));
    print(`group with ${members + 1} members`, shown);
    const sent = shown.answer.body.members.slice(0, members);
    const body = {
      displayName: group.displayName,
      members: sent.map(({ value, display }: Json) => ({ value, display })),
    };
    expect(body.members).toHaveLength(members);
    const started = performance.now();
    const replaced = await scim.ask(`PUT /Groups/${group.id}?excludedAttributes=members`, body);
    expect([replaced.status, replaced.body.scimType]).toEqual([200, undefined]);
    print('PUT of all members', { trips: 3, ms: performance.now() - started });
  });
});
