import {
  descriptions,
  enterprise,
  error,
  group,
  type Life,
  list,
  operations,
  type Step,
  search,
  user,
} from './life.ts';

const person = {
  name: '5b50642d-79fc-4410-9e90-4c077cdd1a59@testuser.com',
  real_name: 'givenName updatedFamilyName',
  email: 'updatedEmail@microsoft.com',
};

const steps: readonly Step[] = [
  ...descriptions,
  search('58342554-38d6-4ec8-948c-50044d0a33fd', 0),
  {
    title: 'Create User',
    route: 'POST /Users',
    body: {
      schemas: [user, enterprise],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: 'Test_User_ab6490ee-1e48-479e-a20b-2d77186b5dd1',
      active: true,
      emails: [
        { primary: true, type: 'work', value: 'Test_User_fd0ea19b-0777-472c-9f96-4f70d2226f2e@testuser.com' },
      ],
      meta: { resourceType: 'User' },
      name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
      roles: [],
    },
    status: 201,
    expected: {
      schemas: [user],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      meta: { resourceType: 'User' },
      userName: 'Test_User_ab6490ee-1e48-479e-a20b-2d77186b5dd1',
      name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
      active: true,
      emails: [
        { value: 'Test_User_fd0ea19b-0777-472c-9f96-4f70d2226f2e@testuser.com', type: 'work', primary: true },
      ],
    },
  },
  { title: 'Get User', route: 'GET /Users/{user}', status: 200, expected: { schemas: [user], active: true } },
  {
    title: 'Get User, user not found',
    route: 'GET /Users/5171a35d82074e068ce2',
    status: 404,
    expected: { schemas: [error], status: '404' },
  },
  {
    title: 'Get User by query',
    route: 'GET /Users?filter=userName eq "Test_User_ab6490ee-1e48-479e-a20b-2d77186b5dd1"',
    status: 200,
    expected: { schemas: [list], totalResults: 1, startIndex: 1 },
  },
  {
    title: 'Get User by query of an e-mail address',
    route:
      'GET /Users?filter=emails[type eq "work"].value eq "Test_User_fd0ea19b-0777-472c-9f96-4f70d2226f2e@testuser.com"',
    status: 200,
    expected: { totalResults: 1 },
  },
  {
    title: 'Get User by query, zero results',
    route: 'GET /Users?filter=userName eq "non-existent user"',
    status: 200,
    expected: { schemas: [list], totalResults: 0, Resources: [], startIndex: 1 },
  },
  {
    title: 'Update User, multi-valued properties',
    route: 'PATCH /Users/{user}',
    body: operations(
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updatedEmail@microsoft.com' },
      { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
    ),
    status: 200,
    expected: {
      name: {
        formatted: 'givenName updatedFamilyName',
        familyName: 'updatedFamilyName',
        givenName: 'givenName',
      },
      emails: [{ value: 'updatedEmail@microsoft.com', type: 'work', primary: true }],
    },
  },
  {
    title: 'Update User, single-valued properties',
    route: 'PATCH /Users/{user}',
    body: operations({
      op: 'Replace',
      path: 'userName',
      value: '5b50642d-79fc-4410-9e90-4c077cdd1a59@testuser.com',
    }),
    status: 200,
    expected: { userName: '5b50642d-79fc-4410-9e90-4c077cdd1a59@testuser.com' },
    state: { person: { ...person, state: 'active' } },
  },
  {
    title: 'Disable User',
    route: 'PATCH /Users/{user}',
    body: operations({ op: 'Replace', path: 'active', value: false }),
    status: 200,
    expected: { active: false },
    state: { person: { ...person, state: 'inactive' } },
  },
  {
    title: 'Enable User, by a service without the flag aadOptscim062020',
    route: 'PATCH /Users/{user}',
    body: operations({ op: 'Add', path: 'active', value: 'True' }),
    status: 200,
    state: { person: { ...person, state: 'active' } },
  },
  {
    title: 'Disable User, by a service without the flag aadOptscim062020',
    route: 'PATCH /Users/{user}',
    body: operations({ op: 'Replace', path: 'active', value: 'False' }),
    status: 200,
    expected: { active: false },
    state: { person: { ...person, state: 'inactive' } },
  },
  {
    title: 'Enable User, with the value as the reference code of Microsoft reads it',
    route: 'PATCH /Users/{user}',
    body: operations(
      { op: 'Replace', path: 'active', value: [{ $ref: null, value: 'True' }] },
      { op: 'Replace', path: 'displayName', value: [{ $ref: null, value: 'givenName familyName' }] },
    ),
    status: 200,
    state: { person: { ...person, real_name: 'givenName familyName', state: 'active' } },
  },
  {
    title: 'Update User, an attribute of the enterprise extension',
    route: 'PATCH /Users/{user}',
    body: operations({ op: 'Add', path: `${enterprise}:department`, value: 'Sales' }),
    status: 200,
  },
  {
    title: 'Create Group',
    route: 'POST /Groups',
    body: {
      schemas: [group, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
      externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
      displayName: 'displayName',
      meta: { resourceType: 'Group' },
    },
    status: 201,
    expected: {
      schemas: [group],
      externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
      meta: { resourceType: 'Group' },
      displayName: 'displayName',
      members: [],
    },
  },
  {
    title: 'Get Group',
    route: 'GET /Groups/{group}?excludedAttributes=members',
    status: 200,
    expected: { schemas: [group], displayName: 'displayName' },
  },
  {
    title: 'Get Group by displayName',
    route: 'GET /Groups?excludedAttributes=members&filter=displayName eq "displayName"',
    status: 200,
    expected: { schemas: [list], totalResults: 1, Resources: [{ displayName: 'displayName' }] },
  },
  {
    title: 'Update Group, non-member attributes',
    route: 'PATCH /Groups/{group}',
    body: operations({
      op: 'Replace',
      path: 'displayName',
      value: '1879db59-3bdf-4490-ad68-ab880a269474updatedDisplayName',
    }),
    status: 204,
    state: { group: '1879db59-3bdf-4490-ad68-ab880a269474updatedDisplayName', members: [] },
  },
  {
    title: 'Update Group, add members',
    route: 'PATCH /Groups/{group}',
    body: operations({ op: 'Add', path: 'members', value: [{ $ref: null, value: '{user}' }] }),
    status: 204,
    state: { members: ['user'] },
  },
  {
    title: 'Get Group by a member',
    route: 'GET /Groups?filter=id eq "{group}" and members eq "{user}"&attributes=id',
    status: 200,
    expected: { totalResults: 1 },
  },
  {
    title: 'Update Group, remove members',
    route: 'PATCH /Groups/{group}',
    body: operations({ op: 'Remove', path: 'members', value: [{ $ref: null, value: '{user}' }] }),
    status: 204,
    state: { members: [] },
  },
  { title: 'Group after the removal', route: 'GET /Groups/{group}', status: 200, expected: { members: [] } },
  { title: 'Delete Group', route: 'DELETE /Groups/{group}', status: 204, state: { group: 'gone' } },
  { title: 'Delete User', route: 'DELETE /Users/{user}', status: 204, state: { person: 'gone' } },
];

export const entra: Life = {
  client: 'Microsoft Entra ID',
  sources: [
    'https://learn.microsoft.com/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups',
    'https://learn.microsoft.com/entra/identity/app-provisioning/application-provisioning-config-problem-scim-compatibility',
    'https://github.com/MicrosoftDocs/azure-docs/issues/42220',
  ],
  headers: { 'content-type': 'application/scim+json; charset=utf-8' },
  steps,
};
