import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../../shared/kernel/ids.ts';
import { addGroup, addSite, audited, unique, useWorld } from '../../../support/factories.ts';
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
let people: Json[];
beforeAll(async () => {
  scim = await startScim(world);
  people = await Promise.all([0, 1, 2].map(() => addScimUser(scim)));
});

const idsOf = (members: Json[] = []) => members.map(({ value }) => value).sort();
const ids = (...at: number[]) => at.map((one) => people[one].id).sort();
const membersOf = async (group: Json) => idsOf((await scim.ask(`GET /Groups/${group.id}`)).body.members);
const values = (...at: number[]) => at.map((one) => ({ value: people[one].id }));
const patch = (group: Json, ...operations: Json[]) =>
  scim.ask(`PATCH /Groups/${group.id}`, patchOf(...operations));

describe('a provisioned group', () => {
  it('is created with members, read, replaced and deleted', async () => {
    const displayName = unique('Engineering');
    const created = await scim.ask('POST /Groups', { displayName, externalId: 'g-1', members: values(0, 1) });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ displayName, externalId: 'g-1', meta: { resourceType: 'Group' } });
    expect(idsOf(created.body.members)).toEqual(ids(0, 1));
    const member = created.body.members.find(({ value }: Json) => value === people[0].id);
    expect(member).toEqual({
      value: people[0].id,
      $ref: people[0].meta.location,
      display: people[0].userName,
      type: 'User',
    });
    const one = `/Groups/${created.body.id}`;
    expect((await scim.ask(`GET ${one}?excludedAttributes=members`)).body).not.toHaveProperty('members');
    const replaced = await scim.ask(`PUT ${one}`, { displayName: `${displayName}2`, members: values(2) });
    expect(idsOf(replaced.body.members)).toEqual(ids(2));
    expect(replaced.body).not.toHaveProperty('externalId');
    expect((await scim.ask(`DELETE ${one}`)).status).toBe(204);
    expect((await scim.ask(`GET ${one}`)).status).toBe(404);
  });

  it.each<[string, Json[], number[]]>([
    ['Add', [{ op: 'Add', path: 'members', value: 'V2' }], [0, 1, 2]],
    ['add of a present member', [{ op: 'add', path: 'members', value: 'V0' }], [0, 1]],
    ['add without a path', [{ op: 'add', value: { members: 'V2' } }], [0, 1, 2]],
    ['remove by a filter', [{ op: 'remove', path: 'members[value eq "0"]' }], [1]],
    ['remove by a filter with or', [{ op: 'remove', path: 'members[value eq "0" or value eq "1"]' }], []],
    ['Remove with a value', [{ op: 'Remove', path: 'members', value: 'V1' }], [0]],
    ['remove of all', [{ op: 'remove', path: 'members' }], []],
    ['replace', [{ op: 'replace', path: 'members', value: 'V2' }], [2]],
    ['replace by none', [{ op: 'replace', path: 'members', value: [] }], []],
    [
      'several operations',
      [
        { op: 'remove', path: 'members[value eq "0"]' },
        { op: 'add', path: 'members', value: 'V2' },
        { op: 'add', path: 'members', value: 'V0' },
        { op: 'remove', path: 'members[value eq "1"]' },
      ],
      [0, 2],
    ],
  ])('changes its members by %s', async (_, operations, expected) => {
    const group = await addScimGroup(scim, [people[0], people[1]]);
    const text = JSON.stringify(operations)
      .replace(/"V(\d)"/g, (__, at) => JSON.stringify(values(Number(at))))
      .replace(/eq \\"(\d)\\"/g, (__, at) => `eq \\"${people[Number(at)].id}\\"`);
    const changed = await patch(group, ...JSON.parse(text));
    expect(changed.status, JSON.stringify(changed.body)).toBe(204);
    expect(await membersOf(group)).toEqual(ids(...expected));
  });

  it('changes name and members together, and is returned if attributes are requested', async () => {
    const group = await addScimGroup(scim);
    const displayName = unique('renamed');
    const changed = await scim.ask(
      `PATCH /Groups/${group.id}?attributes=displayName,members`,
      patchOf(
        { op: 'replace', value: { id: group.id, displayName } },
        { op: 'add', path: 'members', value: values(1) },
      ),
    );
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ id: group.id, displayName, members: [{ value: people[1].id }] });
    expect(changed.body).not.toHaveProperty('meta');
  });

  it('has an audit event with name, version and members for a change of members', async () => {
    const group = await addScimGroup(scim);
    const { events } = await audited(world.portal, () =>
      patch(group, { op: 'add', path: 'members', value: values(0) }),
    );
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      object_type: 'group',
      object_id: group.id,
      object_name: group.displayName,
      details: { revision: 2 },
    });
    expect(events[0]?.changes).toEqual([
      { field: 'members', before: null, after: { replace: false, count: 1, users: ids(0) } },
    ]);
  });

  it('refuses members that are no users of the domain, and a taken name', async () => {
    const group = await addScimGroup(scim);
    const [other, admin] = [await startScim(world), await world.admin('GET /api/userinfo')];
    const stranger = await addScimUser(other);
    for (const value of [newId(), 'text', stranger.id, admin.body.id ?? newId()]) {
      const refused = await patch(group, { op: 'add', path: 'members', value: [{ value }] });
      expect([refused.status, refused.body.scimType]).toEqual([400, 'invalidValue']);
    }
    const taken = await scim.ask('POST /Groups', { displayName: group.displayName.toUpperCase() });
    expect([taken.status, taken.body.scimType]).toEqual([409, 'uniqueness']);
    expect((await patch({ id: newId() }, { op: 'add', path: 'members', value: values(0) })).status).toBe(404);
  });

  it('that waives the second factor, or is part of one, is refused', async () => {
    const skipping = await addGroup(world.admin, scim.domain, { skip_two_factor: true });
    const part = await addScimGroup(scim);
    await addGroup(world.admin, scim.domain, { type: 'meta', groups: [part.id], skip_two_factor: true });
    for (const { id } of [skipping, part]) {
      for (const refused of [
        await patch({ id }, { op: 'add', path: 'members', value: values(0) }),
        await patch({ id }, { op: 'replace', value: { displayName: unique('x') } }),
        await scim.ask(`PUT /Groups/${id}`, { displayName: unique('x') }),
        await scim.ask(`DELETE /Groups/${id}`),
      ])
        expect([refused.status, refused.body.status]).toEqual([403, '403']);
      expect((await scim.ask(`GET /Groups/${id}`)).status).toBe(200);
    }
  });

  it('that a site uses is not deleted', async () => {
    const group = await addScimGroup(scim);
    await addSite(world.admin, { authenticators: [scim.domain.id], groups: [group.id] });
    expect((await scim.ask(`DELETE /Groups/${group.id}`)).status).toBe(409);
  });

  it('is found by its name and its members', async () => {
    const group = await addScimGroup(scim, [people[0]]);
    for (const filter of [
      `displayName eq "${group.displayName}"`,
      `id eq "${group.id}" and members eq "${people[0].id}"`,
      `id eq "${group.id}" and members[value eq "${people[0].id}"]`,
      `id eq "${group.id}" and members.value eq "${people[0].id}"`,
    ])
      expect((await scim.ask(filtered('/Groups', filter))).body.totalResults, filter).toBe(1);
    const other = `id eq "${group.id}" and members[value eq "${people[1].id}"]`;
    expect((await scim.ask(filtered('/Groups', other))).body.totalResults).toBe(0);
  });

  it('is changed only at the expected version', async () => {
    const group = await addScimGroup(scim);
    const send = (version: string) =>
      scim.ask(`PATCH /Groups/${group.id}`, patchOf({ op: 'add', path: 'members', value: values(0) }), {
        'if-match': version,
      });
    expect((await send('W/"5"')).status).toBe(412);
    expect((await send('W/"1"')).status).toBe(204);
  });
});
