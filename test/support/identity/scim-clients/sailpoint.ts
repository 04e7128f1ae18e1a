import { deletions, descriptions, enterprise, group, type Life, operations, search, user } from './life.ts';

const person = { name: 'ada', real_name: 'Ada Byron', email: 'ada@example.com' };

export const sailPoint: Life = {
  client: 'SailPoint',
  sources: [
    'https://documentation.sailpoint.com/connectors/saas/scim_2_0/help/saas_connectivity/scim_2_0_saas/prerequisites.html',
    'https://documentation.sailpoint.com/connectors/scim_2_0/help/integrating_scim2/supported_features.html',
  ],
  headers: { 'content-type': 'application/scim+json' },
  steps: [
    ...descriptions,
    {
      title: 'read the type of users',
      route: 'GET /ResourceTypes/User',
      status: 200,
      expected: { id: 'User' },
    },
    {
      title: 'read the type of groups',
      route: 'GET /ResourceTypes/Group',
      status: 200,
      expected: { id: 'Group' },
    },
    { title: 'aggregate the accounts', route: 'GET /Users?startIndex=1&count=1', status: 200 },
    { title: 'aggregate the next accounts', route: 'GET /Users?startIndex=2&count=1', status: 200 },
    search('ada', 0),
    {
      ...{ title: 'create an account', route: 'POST /Users', status: 201 },
      body: {
        schemas: [user, enterprise],
        userName: 'ada',
        externalId: 'ada',
        name: { givenName: 'Ada', familyName: 'Byron', middleName: 'King' },
        emails: [
          { value: 'home@example.com', type: 'home' },
          { value: 'ada@example.com', type: 'work', primary: 'true' },
        ],
        password: 'a secret that the portal ignores',
        active: 'true',
        [enterprise]: { department: 'Engines', manager: { value: '26118915' } },
      },
      state: { person: { ...person, state: 'active' } },
    },
    search('ada', 1),
    {
      title: 'find accounts by the address',
      route: 'GET /Users?filter=emails.value eq "ada@example.com"&attributes=userName,groups',
      ...{ status: 200, expected: { totalResults: 1, Resources: [{ userName: 'ada' }] } },
    },
    {
      ...{ title: 'change the account', route: 'PATCH /Users/{user}', status: 200 },
      body: operations(
        { op: 'replace', path: 'name.familyName', value: 'Lovelace' },
        { op: 'replace', path: `${user}:displayName`, value: 'Ada Lovelace' },
        { op: 'replace', path: `${enterprise}:department`, value: 'Notes' },
      ),
      state: { person: { ...person, real_name: 'Ada Lovelace', state: 'active' } },
    },
    {
      ...{ title: 'create a group', route: 'POST /Groups', status: 201 },
      body: { schemas: [group], displayName: 'Engineers', members: [{ value: '{other}', type: 'User' }] },
      state: { group: 'Engineers', members: ['other'] },
    },
    {
      ...{ title: 'add an entitlement', route: 'PATCH /Groups/{group}', status: 204 },
      body: operations({
        ...{ op: 'add', path: 'members' },
        value: [{ value: '{user}', display: 'ada', type: 'User' }],
      }),
      state: { members: ['user', 'other'] },
    },
    {
      title: 'read the entitlements of the account',
      route: 'GET /Users/{user}?attributes=groups',
      ...{ status: 200, expected: { groups: [{ value: '{group}', display: 'Engineers' }] } },
    },
    {
      ...{ title: 'remove an entitlement', route: 'PATCH /Groups/{group}', status: 204 },
      body: operations({ op: 'remove', path: 'members[value eq "{user}"]' }),
      state: { members: ['other'] },
    },
    {
      ...{ title: 'disable the account', route: 'PATCH /Users/{user}', status: 200 },
      body: operations({ op: 'replace', path: 'active', value: false }),
      state: { person: { ...person, real_name: 'Ada Lovelace', state: 'inactive' } },
    },
    {
      ...{ title: 'enable the account', route: 'PATCH /Users/{user}', status: 200 },
      body: operations({ op: 'add', path: 'active', value: true }),
      state: { person: { ...person, real_name: 'Ada Lovelace', state: 'active' } },
    },
    ...deletions,
  ],
};
