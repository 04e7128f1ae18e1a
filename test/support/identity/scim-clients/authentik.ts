import { deletions, group, type Life, operations, search, user } from './life.ts';

const ada = {
  schemas: [user],
  userName: 'ada',
  externalId: 'b1e2c3d4f5a697887766554433221100ffeeddccbbaa99887766554433221100',
  name: { formatted: 'Ada Byron', givenName: 'Ada', familyName: 'Byron' },
  displayName: 'Ada Byron',
  photos: [{ value: 'data:image/svg+xml;base64,PHN2Zy8+', type: 'photo' }],
  locale: 'en_US',
  active: true,
  emails: [{ value: 'ada@example.com', type: 'other', primary: true }],
};
const lovelace = {
  ...{ ...ada, id: '{user}', displayName: 'Ada Lovelace' },
  name: { formatted: 'Ada Lovelace', givenName: 'Ada', familyName: 'Lovelace' },
};
const engineers = { schemas: [group], externalId: '6a8f0a2e-1db9-4a53-b1a5-0c6d1f2e3a4b' };
const person = { name: 'ada', real_name: 'Ada Lovelace', email: 'ada@example.com' };

export const authentik: Life = {
  client: 'authentik',
  sources: ['https://github.com/goauthentik/authentik/tree/main/authentik/providers/scim/clients'],
  headers: { 'content-type': 'application/scim+json', accept: 'application/scim+json' },
  steps: [
    {
      ...{ title: 'read the capabilities', route: 'GET /ServiceProviderConfig', status: 200 },
      expected: { patch: { supported: true }, bulk: { maxOperations: 100 }, filter: { supported: true } },
    },
    search('ada', 0),
    {
      ...{ title: 'create a person', route: 'POST /Users', status: 201 },
      body: ada,
      state: { person: { ...person, real_name: 'Ada Byron', state: 'active' } },
    },
    search('ada', 1),
    {
      ...{ title: 'replace the person', route: 'PUT /Users/{user}', status: 200 },
      body: lovelace,
      state: { person: { ...person, state: 'active' } },
    },
    {
      ...{ title: 'create a group', route: 'POST /Groups', status: 201 },
      body: { ...engineers, displayName: 'Engineers' },
      state: { group: 'Engineers', members: [] },
    },
    {
      ...{ title: 'add the members, one operation each', route: 'PATCH /Groups/{group}', status: 204 },
      body: operations(
        { op: 'add', path: 'members', value: [{ value: '{user}' }] },
        { op: 'add', path: 'members', value: [{ value: '{other}' }] },
      ),
      state: { members: ['user', 'other'] },
    },
    {
      ...{ title: 'create the group again', route: 'POST /Groups', status: 409 },
      body: { ...engineers, displayName: 'Engineers' },
    },
    {
      title: 'find the group that exists',
      route: 'GET /Groups?filter=displayName eq "Engineers"',
      ...{ status: 200, expected: { totalResults: 1, Resources: [{ id: '{group}' }] } },
    },
    {
      ...{ title: 'rename the group', route: 'PATCH /Groups/{group}', status: 204 },
      body: operations({
        ...{ op: 'replace' },
        value: { ...engineers, id: '{group}', displayName: 'Mathematicians' },
      }),
      state: { group: 'Mathematicians', members: ['user', 'other'] },
    },
    {
      ...{ title: 'remove a member, until 2026.5', route: 'PATCH /Groups/{group}', status: 204 },
      body: operations({ op: 'remove', path: 'members', value: [{ value: '{user}' }] }),
      state: { members: ['other'] },
    },
    {
      ...{ title: 'remove a member, later versions', route: 'PATCH /Groups/{group}', status: 204 },
      body: operations({ op: 'remove', path: 'members[value eq "{other}"]', value: null }),
      state: { members: [] },
    },
    {
      ...{ title: 'deactivate the person', route: 'PUT /Users/{user}', status: 200 },
      body: { ...lovelace, active: false },
      state: { person: { ...person, state: 'inactive' } },
    },
    {
      ...{ title: 'activate the person', route: 'PUT /Users/{user}', status: 200 },
      body: lovelace,
      state: { person: { ...person, state: 'active' } },
    },
    ...deletions,
  ],
};
