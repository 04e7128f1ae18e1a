import { z } from 'zod';
import type { DomainType, Support } from '../domain-type.ts';
import { type Fields, shapesOf, type Words } from '../fields.ts';
import { words } from '../words.ts';
import { identifiersFor } from './binding.ts';
import { realmOf } from './cards.ts';
import { testConnection } from './connection-test/connection-test.ts';
import { findExternalGroups, findGroupId } from './groups/external.ts';
import { proveByDirectory } from './login/password.ts';
import { accountVouchedFor } from './login/vouched.ts';
import { directoryChecks } from './settings/checks.ts';
import { keepsPassword } from './settings/kept-secret.ts';
import { isReadable } from './settings/readable.ts';
import { findUnregistered } from './unregistered.ts';
import type { DirectoryParams, DirectoryVariant } from './variant.ts';

type Declaration = {
  name: Words;
  description: Words;
  fields: Fields;
  view: z.ZodObject;
  variant: Omit<DirectoryVariant, 'shape'>;
};

const labels = {
  label_username: words('User name'),
  label_groupname: words('Group name'),
  label_password: words('Password'),
};

const supports: Support = {
  localUsers: false,
  ownPassword: false,
  createsUsers: true,
  searchesUsers: true,
  searchesGroups: true,
  secondFactor: true,
  refreshes: { name: true, groups: true },
  bindAccount: true,
};

/** A domain type whose users, groups and passwords are in a directory (LDAP). */
export function directoryType(declaration: Declaration): DomainType<DirectoryParams> {
  const { name, description, fields, view } = declaration;
  const shape = z.strictObject(shapesOf(fields));
  const variant: DirectoryVariant = { ...declaration.variant, shape };
  return {
    about: { ...labels, name, description },
    supports,
    settings: {
      fields,
      shape,
      view,
      secrets: ['bind_password'],
      checks: directoryChecks(variant),
      keepsSecrets: keepsPassword,
    },
    login: { proof: 'password', names: 'in_directory', prove: proveByDirectory.bind(null, variant) },
    test: testConnection.bind(null, variant),
    cards: {
      realmOf: (params) => realmOf(variant, params),
      prove: accountVouchedFor.bind(null, variant),
    },
    attributes: { isReadable: (attribute, parameters) => isReadable(variant, attribute, parameters) },
    directory: {
      findUnregistered: findUnregistered.bind(null, variant),
      findGroups: findExternalGroups.bind(null, variant),
      findGroupId: findGroupId.bind(null, variant),
      identifiersOf: identifiersFor.bind(null, variant),
    },
  };
}
