import { deletions, descriptions, group, type Life, operations, search, user } from './life.ts';

const ada = {
  schemas: [user],
  externalId: '0f5a1c36-6b1d-4b39-8a0e-1f6d3c7e9a21',
  userName: 'ada',
  displayName: 'Ada Byron',
  emails: [{ value: 'ada@example.com', primary: true }],
  active: true,
  roles: [],
};
const replaced = (more: object) => ({
  ...{ ...ada, id: '{user}', displayName: 'Ada Lovelace', meta: { location: 'Users/{user}' } },
  ...more,
});
const engineers = { schemas: [group], externalId: '3d1e8f7a-2c44-4f0b-9d57-6a1b2c3d4e5f' };
const member = (id: string) => ({ value: id, $ref: `Users/${id}` });
const person = { name: 'ada', real_name: 'Ada Lovelace', email: 'ada@example.com' };

/** Two extensions of Keycloak: the first one replaces whole resources, the second one sends differences. */
export const keycloak: Life = {
  client: 'Keycloak',
  sources: [
    'https://github.com/mitodl/keycloak-scim',
    'https://github.com/suvera/keycloak-scim2-storage/blob/master/src/main/java/dev/suvera/keycloak/scim2/storage/storage/UserRecordPatchBuilder.java',
  ],
  headers: {
    'content-type': 'application/json;charset=utf-8',
    accept: 'application/scim+json, application/json',
  },
  steps: [
    ...descriptions,
    { title: 'import the users', route: 'GET /Users?startIndex=1', status: 200 },
    search('ada', 0),
    {
      ...{ title: 'create a person', route: 'POST /Users', status: 201 },
      body: ada,
      state: { person: { ...person, real_name: 'Ada Byron', state: 'active' } },
    },
    search('ada', 1),
    {
      ...{ title: 'replace the person', route: 'PUT /Users/{user}', status: 200 },
      body: replaced({}),
      state: { person: { ...person, state: 'active' } },
    },
    {
      ...{ title: 'send the differences of the person', route: 'PATCH /Users/{user}', status: 200 },
      body: operations(
        { op: 'add', path: 'name', value: { givenName: 'Ada', familyName: 'King', formatted: 'Ada King' } },
        { op: 'replace', path: 'displayName', value: 'Ada King' },
        { op: 'replace', path: 'emails[type eq work].value', value: 'king@example.com' },
        { op: 'add', path: 'phoneNumbers[type eq work].value', value: '+44 20 7946 0000' },
        { op: 'remove', path: 'title', value: '' },
      ),
      state: {
        person: { name: 'ada', real_name: 'Ada King', email: 'king@example.com', state: 'active' },
      },
    },
    {
      ...{ title: 'create a group', route: 'POST /Groups', status: 201 },
      body: { ...engineers, displayName: 'Engineers', members: [member('{user}')] },
      state: { group: 'Engineers', members: ['user'] },
    },
    {
      ...{ title: 'add a member', route: 'PUT /Groups/{group}', status: 200 },
      body: {
        ...engineers,
        id: '{group}',
        displayName: 'Engineers',
        members: ['{user}', '{other}'].map(member),
      },
      state: { members: ['user', 'other'] },
    },
    {
      ...{ title: 'remove a member', route: 'PUT /Groups/{group}', status: 200 },
      body: { ...engineers, id: '{group}', displayName: 'Engineers', members: [member('{other}')] },
      state: { members: ['other'] },
    },
    {
      ...{ title: 'remove the last member', route: 'PUT /Groups/{group}', status: 200 },
      body: { ...engineers, id: '{group}', displayName: 'Engineers' },
      state: { members: [] },
    },
    {
      ...{ title: 'disable the person', route: 'PUT /Users/{user}', status: 200 },
      body: replaced({ active: false }),
      state: { person: { ...person, state: 'inactive' } },
    },
    {
      ...{ title: 'enable the person', route: 'PUT /Users/{user}', status: 200 },
      body: replaced({ active: true }),
      state: { person: { ...person, state: 'active' } },
    },
    ...deletions,
  ],
};
