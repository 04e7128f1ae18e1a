import { deletions, descriptions, group, type Life, operations, search, user } from './life.ts';

const emails = { value: 'ada@example.com', type: 'work', primary: true };
const ada = {
  schemas: [user],
  userName: 'ada@example.com',
  externalId: '158762040',
  name: { givenName: 'Ada', familyName: 'Byron' },
  // A single object, although the attribute is an array.
  emails,
  title: null,
  nickName: null,
  profileUrl: null,
  phoneNumbers: null,
  active: true,
};
const person = { name: 'ada@example.com', real_name: 'Ada Byron', email: 'ada@example.com' };

export const oneLogin: Life = {
  client: 'OneLogin',
  sources: [
    'https://developers.onelogin.com/scim',
    'https://github.com/15five/django-scim2/blob/master/src/django_scim/adapters.py',
  ],
  headers: { 'content-type': 'application/scim+json' },
  steps: [
    ...descriptions,
    search('ada@example.com', 0),
    {
      ...{ title: 'create a person', route: 'POST /Users', status: 201 },
      body: ada,
      state: { person: { ...person, state: 'active' } },
    },
    search('ada@example.com', 1),
    {
      ...{ title: 'replace the person', route: 'PUT /Users/{user}', status: 200 },
      body: { ...ada, id: '{user}', name: { givenName: 'Ada', familyName: 'Lovelace' }, displayName: null },
      state: { person: { ...person, real_name: 'Ada Lovelace', state: 'active' } },
    },
    { title: 'read the groups', route: 'GET /Groups?startIndex=1&count=100', status: 200 },
    {
      ...{ title: 'create a group', route: 'POST /Groups', status: 201 },
      body: { schemas: [group], displayName: 'Engineers', members: [{ value: '{other}' }] },
      state: { group: 'Engineers', members: ['other'] },
    },
    {
      ...{ title: 'add a member', route: 'PATCH /Groups/{group}', status: 204 },
      body: operations({ op: 'add', path: 'members', value: [{ value: '{user}' }] }),
      state: { members: ['user', 'other'] },
    },
    {
      ...{ title: 'remove a member', route: 'PATCH /Groups/{group}', status: 204 },
      body: operations({ op: 'remove', path: 'members[value eq "{other}"]' }),
      state: { members: ['user'] },
    },
    {
      ...{ title: 'suspend the person', route: 'PATCH /Users/{user}', status: 200 },
      body: operations({ op: 'replace', path: 'active', value: false }),
      state: { person: { ...person, real_name: 'Ada Lovelace', state: 'inactive' }, members: ['user'] },
    },
    {
      ...{ title: 'reactivate the person', route: 'PATCH /Users/{user}', status: 200 },
      body: operations({ op: 'replace', value: { active: true } }),
      state: { person: { ...person, real_name: 'Ada Lovelace', state: 'active' } },
    },
    ...deletions,
  ],
};
