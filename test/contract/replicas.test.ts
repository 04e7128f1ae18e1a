import { expect, it } from 'vitest';
import { everyOperation } from './generated/described.ts';

/**
 * A revoked session, token or passkey must not be listed as valid. Groups in a directory are not rows of the database. An
 * identity provider that does not find what it has just created creates it again.
 */
const current = [
  'group.listExternal',
  'issuedToken.list',
  'lockOut.list',
  'loginSession.list',
  'passkey.list',
  'scimGroup.list',
  'scimUser.list',
  'serviceToken.list',
  'userSession.list',
  'userinfo.listServiceTokens',
  'userinfo.listSessions',
];

const isPaged = ({ query }: (typeof everyOperation)[number]): boolean =>
  query !== undefined && 'shape' in query && Object.hasOwn(Object(query.shape), 'cursor');

it('every list can be read from a replica, except for sessions, tokens and SCIM', () => {
  const lists = everyOperation.filter(isPaged);
  const onPrimary = lists.filter(({ mayLag }) => !mayLag).map(({ id }) => id);
  expect(lists.length).toBeGreaterThan(20);
  expect(onPrimary.sort()).toEqual(current);
});

it('nothing but a read without side effects is read from a replica', () => {
  const lagging = everyOperation.filter(({ mayLag }) => mayLag);
  const unfit = lagging.filter(
    ({ method, begins, access, credential }) =>
      method !== 'GET' || begins || access === 'public' || credential !== undefined,
  );
  expect(unfit.map(({ id }) => id)).toEqual([]);
});
