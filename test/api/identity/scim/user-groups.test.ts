import { beforeAll, describe, expect, it } from 'vitest';
import { unique, useWorld } from '../../../support/factories.ts';
import {
  addScimGroup,
  addScimUser,
  filtered,
  patchOf,
  type ScimClient,
  startScim,
} from '../../../support/identity/scim.ts';
import type { Json } from '../../../support/portal.ts';

const world = useWorld();
let scim: ScimClient;
let user: Json;
let groups: Json[];

beforeAll(async () => {
  scim = await startScim(world);
  user = await addScimUser(scim, { displayName: 'Ada' });
  const other = await addScimUser(scim);
  groups = [
    await addScimGroup(scim, [user, other], { displayName: 'Engineering' }),
    await addScimGroup(scim, [user], { displayName: 'Mathematics' }),
  ];
  await addScimGroup(scim, [other], { displayName: 'Other' });
});

const read = async (query = '') => (await scim.ask(`GET /Users/${user.id}${query}`)).body;
const namesOf = ({ groups: all = [] }: Json): string[] => all.map(({ display }: Json) => display).sort();

describe('the groups of a user', () => {
  it('are references to groups of the domain', async () => {
    const { groups: shown } = await read();
    const place = `https://portal.test/scim/v2/${scim.domain.id}/Groups`;
    expect(shown).toHaveLength(2);
    for (const { id, displayName } of groups)
      expect(shown).toContainEqual({
        ...{ value: id, $ref: `${place}/${id}`, display: displayName, type: 'direct' },
      });
    const { body } = await scim.ask(`GET /Schemas/urn:ietf:params:scim:schemas:core:2.0:User`);
    const described = body.attributes.find(({ name }: Json) => name === 'groups');
    expect(described).toMatchObject({ mutability: 'readOnly', multiValued: true });
  });

  it('are in lists, and left out where they are not requested', async () => {
    const { body } = await scim.ask(filtered('/Users', 'displayName eq "Ada"'));
    expect(namesOf(body.Resources[0])).toEqual(['Engineering', 'Mathematics']);
    expect(await read('?excludedAttributes=groups')).not.toHaveProperty('groups');
    expect(await read('?attributes=userName')).not.toHaveProperty('groups');
    const { groups: shown, ...rest } = await read('?attributes=groups.display');
    expect(shown).toEqual(expect.arrayContaining([{ display: 'Engineering' }, { display: 'Mathematics' }]));
    expect(Object.keys(rest).sort()).toEqual(['id', 'schemas']);
    const loner = await addScimUser(scim);
    expect(loner).not.toHaveProperty('groups');
  });

  it.each([
    ['groups.display eq "ENGINEERING"', 2],
    ['groups[display sw "Math"]', 1],
    ['groups pr and displayName eq "Ada"', 1],
    ['groups[display eq "Engineering" and type eq "direct"]', 2],
    ['groups.display eq "Nothing"', 0],
  ])('find users by %s', async (filter, found) => {
    expect((await scim.ask(filtered('/Users', filter))).body.totalResults).toBe(found);
  });

  it('find users by the identifier of a group', async () => {
    const { body } = await scim.ask(filtered('/Users', `groups.value eq "${groups[1]?.id}"`));
    expect(body.Resources.map(({ id }: Json) => id)).toEqual([user.id]);
  });

  it('are not changed through the user', async () => {
    const sent = { userName: user.userName, displayName: 'Ada', groups: [] };
    const replaced = await scim.ask(`PUT /Users/${user.id}`, sent);
    expect([replaced.status, namesOf(replaced.body)]).toEqual([200, ['Engineering', 'Mathematics']]);
    const made = await addScimUser(scim, { groups: [{ value: groups[0]?.id }] });
    expect(made).not.toHaveProperty('groups');
    for (const operation of [
      { op: 'remove', path: 'groups' },
      { op: 'add', path: 'groups', value: [{ value: groups[0]?.id }] },
      { op: 'remove', path: `groups[value eq "${groups[0]?.id}"]` },
      { op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:groups', value: [] },
    ]) {
      const refused = await scim.ask(`PATCH /Users/${user.id}`, patchOf(operation));
      expect([refused.status, refused.body.scimType]).toEqual([400, 'mutability']);
    }
    const named = patchOf({ op: 'replace', value: { displayName: 'Ada', groups: [] } });
    const changed = await scim.ask(`PATCH /Users/${user.id}`, named);
    expect([changed.status, namesOf(changed.body)]).toEqual([200, ['Engineering', 'Mathematics']]);
  });

  it('are part of the version, and do not stand against a change of the user', async () => {
    const member = await addScimUser(scim);
    const first = await scim.ask(`GET /Users/${member.id}`);
    const tag = first.headers.get('etag') ?? '';
    const again = (known: string) =>
      scim.ask(`GET /Users/${member.id}`, undefined, { 'if-none-match': known });
    expect((await again(tag)).status).toBe(304);
    const group = await addScimGroup(scim, [member], { displayName: unique('late') });
    const second = await again(tag);
    expect([second.status, namesOf(second.body)]).toEqual([200, [group.displayName]]);
    expect(second.body.meta.version).toBe(second.headers.get('etag'));
    expect((await again(second.body.meta.version)).status).toBe(304);
    await scim.ask(`DELETE /Groups/${group.id}`);
    const change = patchOf({ op: 'replace', path: 'displayName', value: 'Late' });
    const changed = await scim.ask(`PATCH /Users/${member.id}`, change, {
      'if-match': second.body.meta.version,
    });
    expect([changed.status, changed.body.displayName, namesOf(changed.body)]).toEqual([200, 'Late', []]);
  });
});
