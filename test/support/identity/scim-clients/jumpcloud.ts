import { deletions, group, type Life, operations, search, user } from './life.ts';

const ada = {
  schemas: [user],
  userName: 'ada@example.com',
  externalId: '5f1f0d8f2b1c4a0001a2b3c4',
  name: { givenName: 'Ada', familyName: 'Byron' },
  emails: [{ type: 'work', value: 'ada@example.com', primary: true }],
  displayName: 'Ada Byron',
  active: true,
};
const person = { name: 'ada@example.com', real_name: 'Ada Byron', email: 'ada@example.com' };

/** The test of the connection creates a person and a group and deletes both. */
export const jumpCloud: Life = {
  client: 'JumpCloud',
  sources: [
    'https://jumpcloud.com/support/provision-and-manage-users-and-groups-in-apps-using-custom-scim-identity-management-integration',
    'https://github.com/Paul-E/scim-v2-rust/tree/main/src/test_data',
  ],
  headers: { 'content-type': 'application/json' },
  steps: [
    { title: 'test the token', route: 'GET /Users?startIndex=1&count=1', status: 200 },
    search('ada@example.com', 0),
    {
      ...{ title: 'create a person', route: 'POST /Users', status: 201 },
      body: ada,
      state: { person: { ...person, state: 'active' } },
    },
    search('ada@example.com', 1),
    {
      ...{ title: 'change the person', route: 'PATCH /Users/{user}', status: 200 },
      body: operations(
        { op: 'replace', path: 'name.givenName', value: 'Augusta' },
        { op: 'replace', path: 'name.familyName', value: 'Lovelace' },
        { op: 'replace', path: 'displayName', value: 'Augusta Lovelace' },
      ),
      state: { person: { ...person, real_name: 'Augusta Lovelace', state: 'active' } },
    },
    {
      ...{ title: 'replace the person', route: 'PUT /Users/{user}', status: 200 },
      body: ada,
      state: { person: { ...person, state: 'active' } },
    },
    {
      title: 'search for the group',
      route: 'GET /Groups?filter=displayName eq "Engineers"',
      ...{ status: 200, expected: { totalResults: 0 } },
    },
    {
      ...{ title: 'create a group', route: 'POST /Groups', status: 201 },
      body: { schemas: [group], displayName: 'Engineers', members: [{ value: '{user}' }] },
      state: { group: 'Engineers', members: ['user'] },
    },
    {
      ...{ title: 'add a member', route: 'PATCH /Groups/{group}', status: 204 },
      body: operations({ op: 'add', path: 'members', value: [{ value: '{other}' }] }),
      state: { members: ['user', 'other'] },
    },
    {
      ...{ title: 'remove a member', route: 'PATCH /Groups/{group}', status: 204 },
      body: operations({ op: 'remove', path: 'members', value: [{ value: '{user}' }] }),
      state: { members: ['other'] },
    },
    {
      ...{ title: 'rename the group', route: 'PUT /Groups/{group}', status: 200 },
      body: { schemas: [group], displayName: 'Mathematicians', members: [{ value: '{other}' }] },
      state: { group: 'Mathematicians', members: ['other'] },
    },
    {
      ...{ title: 'suspend the person', route: 'PATCH /Users/{user}', status: 200 },
      body: operations({ op: 'replace', path: 'active', value: false }),
      state: { person: { ...person, state: 'inactive' } },
    },
    {
      ...{ title: 'reactivate the person', route: 'PUT /Users/{user}', status: 200 },
      body: ada,
      state: { person: { ...person, state: 'active' } },
    },
    ...deletions,
  ],
};
