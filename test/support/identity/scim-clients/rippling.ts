import { deletions, descriptions, group, type Life, operations, search, user } from './life.ts';

const ada = {
  schemas: [user],
  userName: 'ada@example.com',
  externalId: '64f0c2b7e1a9d8c7b6a5f4e3',
  name: { givenName: 'Ada', familyName: 'Byron' },
  emails: [{ value: 'ada@example.com', primary: true }],
  active: true,
};
const person = { name: 'ada@example.com', real_name: 'Ada Byron', email: 'ada@example.com' };

export const rippling: Life = {
  client: 'Rippling',
  sources: [
    'https://workos.com/docs/integrations/rippling-scim',
    'https://help.adaptivesecurity.com/en/articles/10166547-rippling-scim-user-provisioning',
  ],
  headers: { 'content-type': 'application/json' },
  steps: [
    ...descriptions,
    { title: 'match the users page by page', route: 'GET /Users?startIndex=1&count=100', status: 200 },
    search('ada@example.com', 0),
    {
      ...{ title: 'create a person', route: 'POST /Users', status: 201 },
      body: ada,
      state: { person: { ...person, state: 'active' } },
    },
    { ...{ title: 'create the person again', route: 'POST /Users', status: 409 }, body: ada },
    search('ADA@example.com', 1),
    {
      ...{ title: 'replace the person', route: 'PUT /Users/{user}', status: 200 },
      body: { ...ada, id: '{user}', name: { givenName: 'Ada', familyName: 'Lovelace' } },
      state: { person: { ...person, real_name: 'Ada Lovelace', state: 'active' } },
    },
    {
      ...{ title: 'change the address', route: 'PATCH /Users/{user}', status: 200 },
      body: operations({ op: 'replace', path: 'emails[primary eq true].value', value: 'king@example.com' }),
      state: {
        person: { ...person, real_name: 'Ada Lovelace', email: 'king@example.com', state: 'active' },
      },
    },
    {
      ...{ title: 'create a group', route: 'POST /Groups', status: 201 },
      body: { schemas: [group], displayName: 'Engineers', externalId: 'group-7', members: [] },
      state: { group: 'Engineers', members: [] },
    },
    {
      ...{ title: 'add members', route: 'PATCH /Groups/{group}', status: 204 },
      body: operations({ op: 'add', value: { members: [{ value: '{user}' }, { value: '{other}' }] } }),
      state: { members: ['user', 'other'] },
    },
    {
      ...{ title: 'remove a member', route: 'PATCH /Groups/{group}', status: 204 },
      body: operations({ op: 'replace', path: 'members', value: [{ value: '{user}' }] }),
      state: { members: ['user'] },
    },
    {
      ...{ title: 'offboard the person', route: 'PATCH /Users/{user}', status: 200 },
      body: operations({ op: 'replace', value: { active: false } }),
      state: {
        person: { ...person, real_name: 'Ada Lovelace', email: 'king@example.com', state: 'inactive' },
      },
    },
    {
      ...{ title: 'hire the person again', route: 'POST /Users', status: 201 },
      body: ada,
      state: { person: { ...person, real_name: 'Ada Byron', state: 'active' } },
    },
    ...deletions,
  ],
};
