import { z } from 'zod';
import type { DomainType } from '../domain-type.ts';
import { texts as common } from '../form-texts.ts';
import { texts } from './form-texts.ts';
import { proveStoredPassword } from './password.ts';

const shape = z.strictObject({});

/** Users and passwords in the database of the portal. */
export const internal: DomainType = {
  about: {
    name: texts('Internal'),
    hint: 'users of the portal',
    description: texts('Users and passwords are stored in the portal'),
    label_username: common('User name'),
    label_groupname: common('Group name'),
    label_password: common('Password'),
  },
  supports: {
    localUsers: true,
    ownPassword: true,
    createsUsers: true,
    searchesUsers: true,
    searchesGroups: true,
    secondFactor: true,
    refreshes: { name: false, groups: false },
    provisioning: false,
    bindAccount: false,
    groupsById: false,
  },
  settings: { fields: {}, shape, view: shape, secrets: [], checks: [], keepsSecrets: () => false },
  login: {
    proof: 'password',
    names: 'as_typed',
    prove: async (ctx, attempt, candidate, password) => ({
      attempt,
      proof: await proveStoredPassword(ctx, attempt, candidate, password),
    }),
  },
  test: undefined,
  cards: undefined,
  attributes: undefined,
  directory: undefined,
  binding: undefined,
};
