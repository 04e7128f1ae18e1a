import { error, group, type Life, list, operations, type Step, user } from './life.ts';

const person = { name: 'test.user@okta.local', real_name: 'Test User', email: 'test.user@okta.local' };
const another = { ...person, real_name: 'Another User' };

const steps: readonly Step[] = [
  {
    title: 'Determine if the user already exists',
    route: 'GET /Users?filter=userName%20eq%20%22test.user%40okta.local%22&startIndex=1&count=100',
    status: 200,
    expected: { schemas: [list], totalResults: 0, startIndex: 1, itemsPerPage: 0, Resources: [] },
  },
  {
    title: 'Create the user',
    route: 'POST /Users',
    body: {
      schemas: [user],
      userName: 'test.user@okta.local',
      name: { givenName: 'Test', familyName: 'User' },
      emails: [{ primary: true, value: 'test.user@okta.local', type: 'work' }],
      displayName: 'Test User',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    },
    status: 201,
    expected: {
      schemas: [user],
      userName: 'test.user@okta.local',
      name: { givenName: 'Test', familyName: 'User' },
      emails: [{ primary: true, value: 'test.user@okta.local', type: 'work' }],
      displayName: 'Test User',
      externalId: '00ujl29u0le5T6Aj10h7',
      active: true,
      meta: { resourceType: 'User' },
    },
    state: { person: { ...person, state: 'active' } },
  },
  {
    title: 'Create a user who exists',
    route: 'POST /Users',
    body: { schemas: [user], userName: 'test.user@okta.local' },
    status: 409,
    expected: { schemas: [error] },
  },
  {
    title: 'Retrieve users',
    route: 'GET /Users?startIndex=1&count=100',
    status: 200,
    expected: { schemas: [list] },
  },
  {
    title: 'Retrieve a specific user',
    route: 'GET /Users/{user}',
    status: 200,
    expected: { schemas: [user] },
  },
  {
    title: 'Update a specific user (PUT)',
    route: 'PUT /Users/{user}',
    body: {
      schemas: [user],
      id: '{user}',
      userName: 'test.user@okta.local',
      name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' },
      emails: [
        { primary: true, value: 'test.user@okta.local', type: 'work', display: 'test.user@okta.local' },
      ],
      active: true,
      groups: [],
      meta: { resourceType: 'User' },
    },
    status: 200,
    expected: { id: '{user}', name: { givenName: 'Another', familyName: 'User' }, active: true },
    state: { person: { ...another, state: 'active' } },
  },
  {
    title: 'Deactivate a user (PATCH)',
    route: 'PATCH /Users/{user}',
    body: operations({ op: 'replace', value: { active: false } }),
    status: 200,
    expected: { id: '{user}', active: false, meta: { resourceType: 'User' } },
    state: { person: { ...another, state: 'inactive' } },
  },
  {
    title: 'Reactivate a user (PATCH)',
    route: 'PATCH /Users/{user}',
    body: operations({ op: 'replace', value: { active: true } }),
    status: 200,
    state: { person: { ...another, state: 'active' } },
  },
  {
    title: 'Create groups',
    route: 'POST /Groups',
    body: { schemas: [group], displayName: 'Test SCIMv2', members: [] },
    status: 201,
    expected: { schemas: [group], displayName: 'Test SCIMv2', members: [], meta: { resourceType: 'Group' } },
  },
  {
    title: 'Retrieve groups',
    route: 'GET /Groups?startIndex=1&count=100',
    status: 200,
    expected: { schemas: [list] },
  },
  {
    title: 'Update a specific group name',
    route: 'PATCH /Groups/{group}',
    body: operations({ op: 'replace', value: { id: '{group}', displayName: 'Test SCIMv20' } }),
    status: 204,
    state: { group: 'Test SCIMv20', members: [] },
  },
  {
    title: 'Update specific group membership',
    route: 'PATCH /Groups/{group}',
    body: operations(
      { op: 'remove', path: 'members[value eq "{other}"]' },
      { op: 'add', path: 'members', value: [{ value: '{user}', display: 'test.user@okta.local' }] },
    ),
    status: 204,
  },
  {
    title: 'Retrieve specific groups',
    route: 'GET /Groups/{group}',
    status: 200,
    expected: {
      schemas: [group],
      displayName: 'Test SCIMv20',
      members: [{ value: '{user}', display: 'test.user@okta.local' }],
    },
  },
  {
    title: 'Replace the membership',
    route: 'PATCH /Groups/{group}',
    body: operations({
      op: 'replace',
      path: 'members',
      value: [
        { value: '{user}', display: 'test.user@okta.local' },
        { value: '{other}', display: 'other' },
      ],
    }),
    status: 204,
    state: { members: ['user', 'other'] },
  },
  {
    title: 'Push a group that has no members any more',
    route: 'PATCH /Groups/{group}',
    body: operations({ op: 'replace', path: 'members', value: [] }),
    status: 204,
    state: { members: [] },
  },
  {
    title: 'Delete a specific group',
    route: 'DELETE /Groups/{group}',
    status: 204,
    state: { group: 'gone' },
  },
];

export const okta: Life = {
  client: 'Okta',
  sources: [
    'https://developer.okta.com/docs/api/openapi/okta-scim/guides/scim-20',
    'https://github.com/Captain-P-Goldfish/SCIM-SDK/issues/757',
  ],
  headers: {
    'content-type': 'application/scim+json; charset=utf-8',
    accept: 'application/scim+json',
    'user-agent': 'Okta SCIM Client 1.0.0',
  },
  steps,
};
