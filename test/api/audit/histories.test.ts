import { describe, expect, it } from 'vitest';
import { operations } from '../../contract/generated/described.ts';
import { bodySchemaOf } from '../../contract/generated/ground.ts';
import { adminOf, audited, create, type Resource, resources, useWorld } from '../../support/factories.ts';
import type { Answer, Json } from '../../support/portal.ts';

const many = <T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));
const having = (status: number, answers: readonly Answer[]): Answer[] =>
  answers.filter((answer) => answer.status === status);

/** The members by which a resource refers to other resources. */
type Reference = { holder: Resource; member: string; target: Resource; isList: boolean };

/** Members with the name of another resource, or of its id. */
const references: Reference[] = resources.flatMap((holder) => {
  const update = operations.find(({ id }) => id === `${holder.type}.update`);
  const members = update ? Object.keys(Object(bodySchemaOf(update).properties)) : [];
  return members.flatMap((member) => {
    const target = resources.find(({ type }) => member === `${type}_id` || member === `${type}s`);
    return target ? [{ holder, member, target, isList: !member.endsWith('_id') }] : [];
  });
});

/** Twenty concurrent writes, repeated sequentially; each statement of Neon's driver is a request of its own. */
const drivers = [
  ['pg', 5],
  ['neon', 2],
] as const;

describe.each(drivers)('concurrent histories by the driver %s', (driver, rounds) => {
  const world = useWorld({ driver });
  const admin = adminOf(world);
  const add = (resource: Resource): Promise<Json> =>
    create(admin, resource.path(world), resource.body(world));
  const addressOf = (resource: Resource, { id }: Json): string => `${resource.path(world)}/${id}`;

  describe.each(resources.map((resource) => [resource.type, resource] as const))('a %s', (_, resource) => {
    it('counts each acknowledged write of many concurrent ones and loses none', async () => {
      const [plain, , fallback] = resource.plain;
      const one = addressOf(resource, await add(resource));
      const write = async (value: unknown): Promise<Answer> => {
        const etag = (await admin(`GET ${one}`)).headers.get('etag') ?? '';
        return admin(`PATCH ${one}`, { [plain]: value }, { 'if-match': etag });
      };
      const { result, events } = await audited(world.portal, () =>
        many(20, async (writer) => {
          const answers: Answer[] = [];
          for (let n = writer * rounds; n < (writer + 1) * rounds; n++)
            answers.push(await write(typeof fallback === 'number' ? 1_000 + n : `noted ${n}`));
          return answers;
        }).then((answers) => answers.flat()),
      );
      const acknowledged = having(200, result);
      expect(acknowledged.length).toBeGreaterThanOrEqual(rounds);
      expect(having(412, result)).toHaveLength(20 * rounds - acknowledged.length);
      const { headers, body } = await admin(`GET ${one}`);
      expect(headers.get('etag')).toMatch(new RegExp(`^"${1 + acknowledged.length}\\.`));
      // One history: each write replaced the result of another one, except the first and the last.
      const changes = events.flatMap((event) => event.changes);
      expect(changes).toHaveLength(acknowledged.length);
      const written = acknowledged.map((answer) => answer.body[plain]);
      expect([...changes.map(({ before }) => before), body[plain]].sort()).toEqual(
        [fallback, ...written].sort(),
      );
    });

    it('is created once under one name, and the other requests get its id in the conflict', async () => {
      const sent = resource.body(world);
      const answers = await many(10, () => admin(`POST ${resource.path(world)}`, sent));
      const [made] = having(201, answers);
      expect(having(201, answers)).toHaveLength(1);
      const ids = having(409, answers).map(({ body }) => body.existing_id);
      expect(ids).toEqual(Array(9).fill(made?.body.id));
    });
  });

  it.each(
    references.map((reference) => [reference.holder.type, reference.member, reference] as const),
  )('a %s never refers by %s to a deleted record', async (_, member, { holder, target, isList }) => {
    const one = addressOf(holder, await add(holder));
    for (let round = 0; round < 3; round++) {
      const made = await add(target);
      const [removal, naming] = await Promise.all([
        admin(`DELETE ${addressOf(target, made)}`),
        admin(`PATCH ${one}`, { [member]: isList ? [made.id] : made.id }),
      ]);
      const { body } = await admin(`GET ${one}`);
      const isNamed = [body[member]].flat().includes(made.id);
      const texts = JSON.stringify([removal.body, naming.body]);
      expect([204, 409], texts).toContain(removal.status);
      expect([200, 422], texts).toContain(naming.status);
      if (removal.status === 204) expect(isNamed, texts).toBe(false);
      else expect([naming.status, isNamed], texts).toEqual([200, true]);
    }
  });
});

it('the list of references under test is not empty', () => {
  const named = references.map(({ holder, member }) => `${holder.type}.${member}`);
  for (const known of ['farm.site_id', 'dispatcher.farm_id', 'site.groups', 'user.roles'])
    expect(named).toContain(known);
});
