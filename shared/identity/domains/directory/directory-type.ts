import { z } from 'zod';
import type { DomainType } from '../domain-type.ts';
import { type Fields, shapesOf, type Words } from '../fields.ts';
import { texts } from '../form-texts.ts';
import type { Support } from '../support.ts';
import { identifiersFor } from './binding.ts';
import { realmOf } from './certificate-realm.ts';
import { testConnection } from './connection-test/connection-test.ts';
import { findUnregistered } from './directory-search.ts';
import { findExternalGroups, findGroupId } from './groups/external.ts';
import { certificateAccount } from './login/certificate-login.ts';
import { proveByDirectory } from './login/password.ts';
import { directoryChecks } from './settings/checks.ts';
import { isReadable } from './settings/readable-attributes.ts';
import { reusesPassword } from './settings/secret-reuse.ts';
import type { DirectoryParams, DirectoryVariant } from './variant.ts';

type Declaration = {
  name: Words;
  description: Words;
  fields: Fields;
  view: z.ZodObject;
  variant: Omit<DirectoryVariant, 'shape'>;
};

const labels = {
  label_username: texts('User name'),
  label_groupname: texts('Group name'),
  label_password: texts('Password'),
};

const supports: Support = {
  localUsers: false,
  ownPassword: false,
  createsUsers: true,
  searchesUsers: true,
  searchesGroups: true,
  secondFactor: true,
  refreshes: { name: true, groups: true },
  provisioning: false,
  bindAccount: true,
  groupsById: false,
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
      keepsSecrets: reusesPassword,
    },
    login: { proof: 'password', names: 'in_directory', prove: proveByDirectory.bind(null, variant) },
    test: testConnection.bind(null, variant),
    cards: {
      realmOf: (params) => realmOf(variant, params),
      prove: certificateAccount.bind(null, variant),
    },
    attributes: { isReadable: (attribute, parameters) => isReadable(variant, attribute, parameters) },
    directory: {
      findUnregistered: findUnregistered.bind(null, variant),
      findGroups: findExternalGroups.bind(null, variant),
      findGroupId: findGroupId.bind(null, variant),
    },
    binding: { by: 'name', identifiersOf: identifiersFor.bind(null, variant) },
  };
}
