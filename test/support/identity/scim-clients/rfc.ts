import { group, type Life, list, operations, type Step, user } from './life.ts';

/** With the section of RFC 7644, unless the title names the other one. */
const steps: readonly Step[] = [
  {
    title: '3.3 Creating resources',
    route: 'POST /Users',
    body: {
      schemas: [user],
      userName: 'bjensen',
      externalId: 'bjensen',
      name: { formatted: 'Ms. Barbara J Jensen III', familyName: 'Jensen', givenName: 'Barbara' },
    },
    status: 201,
    expected: {
      schemas: [user],
      externalId: 'bjensen',
      meta: { resourceType: 'User' },
      name: { formatted: 'Ms. Barbara J Jensen III', familyName: 'Jensen', givenName: 'Barbara' },
      userName: 'bjensen',
    },
  },
  {
    title: '3.4.1 Retrieving a known resource',
    route: 'GET /Users/{user}',
    status: 200,
    expected: { userName: 'bjensen' },
  },
  {
    title: '3.4.2.4 Pagination',
    route: 'GET /Users?startIndex=1&count=10',
    status: 200,
    expected: { itemsPerPage: 2, startIndex: 1 },
  },
  {
    title: '3.4.3 Querying using HTTP POST',
    route: 'POST /.search',
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
      attributes: ['displayName', 'userName'],
      filter: 'displayName sw "smith"',
      startIndex: 1,
      count: 10,
    },
    status: 200,
    expected: { schemas: [list], totalResults: 0, startIndex: 1 },
  },
  {
    title: '3.5.1 Replacing with PUT',
    route: 'PUT /Users/{user}',
    body: {
      schemas: [user],
      id: '{user}',
      userName: 'bjensen',
      externalId: 'bjensen',
      name: {
        formatted: 'Ms. Barbara J Jensen III',
        familyName: 'Jensen',
        givenName: 'Barbara',
        middleName: 'Jane',
      },
      roles: [],
      emails: [{ value: 'bjensen@example.com' }, { value: 'babs@jensen.org' }],
    },
    status: 200,
    expected: { id: '{user}', emails: [{ value: 'bjensen@example.com' }] },
  },
  {
    title: '3.5.2.1 Add operation without a path',
    route: 'PATCH /Users/{user}',
    body: operations({
      op: 'add',
      value: { emails: [{ value: 'babs@jensen.org', type: 'home' }], nickname: 'Babs' },
    }),
    status: 200,
    expected: { emails: [{ value: 'bjensen@example.com' }] },
  },
  {
    title: '8.4 of RFC 7643: a group, created without its members',
    route: 'POST /Groups',
    body: { schemas: [group], displayName: 'Tour Guides' },
    status: 201,
    expected: { displayName: 'Tour Guides' },
  },
  {
    title: '3.5.2.1 Add operation, a new member',
    route: 'PATCH /Groups/{group}',
    body: operations({
      op: 'add',
      path: 'members',
      value: [{ display: 'Babs Jensen', $ref: 'https://example.com/v2/Users/2819c223', value: '{user}' }],
    }),
    status: 204,
  },
  {
    title: '3.5.2.2 Remove operation, one member',
    route: 'PATCH /Groups/{group}',
    body: operations({ op: 'remove', path: 'members[value eq "{user}"]' }),
    status: 204,
  },
  {
    title: '3.5.2.2 Remove and add in one request',
    route: 'PATCH /Groups/{group}',
    body: operations(
      { op: 'remove', path: 'members[value eq "{user}"]' },
      { op: 'add', path: 'members', value: [{ display: 'James Smith', value: '{other}' }] },
    ),
    status: 204,
    state: { members: ['other'] },
  },
  {
    title: '3.5.2.3 Replace operation, all members',
    route: 'PATCH /Groups/{group}',
    body: operations({ op: 'replace', path: 'members', value: [{ value: '{user}' }, { value: '{other}' }] }),
    status: 204,
    state: { members: ['user', 'other'] },
  },
  {
    title: '3.6 Deleting resources',
    route: 'DELETE /Users/{user}',
    status: 204,
    state: { person: 'gone', members: ['other'] },
  },
  {
    title: '3.7.2 Bulk, temporary identifiers',
    route: 'POST /Bulk',
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations: [
        { method: 'POST', path: '/Users', bulkId: 'qwerty', data: { schemas: [user], userName: 'Alice' } },
        {
          method: 'POST',
          path: '/Groups',
          bulkId: 'ytrewq',
          data: {
            schemas: [group],
            displayName: 'Tour Guides of the RFC',
            members: [{ type: 'User', value: 'bulkId:qwerty' }],
          },
        },
      ],
    },
    status: 200,
    expected: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkResponse'],
      Operations: [
        { method: 'POST', bulkId: 'qwerty', version: 'W/"1"', status: '201' },
        { method: 'POST', bulkId: 'ytrewq', version: 'W/"1"', status: '201' },
      ],
    },
  },
];

export const rfc: Life = {
  client: 'RFC 7643 and 7644',
  sources: ['https://www.rfc-editor.org/rfc/rfc7644', 'https://www.rfc-editor.org/rfc/rfc7643'],
  steps,
};
