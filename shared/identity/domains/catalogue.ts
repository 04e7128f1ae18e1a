import { z } from 'zod';
import { directoryFields } from './directory-fields.ts';
import { field, shapesOf } from './fields.ts';

export const domainTypes = ['internal', 'ldap', 'active_directory', 'freeipa'] as const;
export type DomainType = (typeof domainTypes)[number];

const byUid = { user_id_attribute: 'uid', group_id_attribute: 'cn' };
const ldap = directoryFields({
  ...byUid,
  user_class: 'inetOrgPerson',
  group_class: 'posixGroup',
  member_attribute: 'memberUid',
});
const freeipa = directoryFields({
  ...byUid,
  user_class: 'person',
  group_class: 'ipausergroup',
  member_attribute: 'member',
});
const activeDirectory = {
  ...directoryFields({
    user_class: 'user',
    user_id_attribute: 'sAMAccountName',
    group_class: 'group',
    group_id_attribute: 'cn',
    member_attribute: 'member',
  }),
  nested_groups: field(
    z
      .boolean()
      .default(false)
      .describe(
        'If true, members of a nested group also belong to the groups that contain it. Default false.',
      ),
    {
      type: 'checkbox',
      label: 'Nested groups',
      tooltip: 'Members of a nested group also belong to the groups that contain it',
      tab: 'Groups',
    },
  ),
};

/** The parameters of each type of domain: they are validated by these fields and described by them. */
export const paramFields = { internal: {}, ldap, active_directory: activeDirectory, freeipa } as const;

export const paramShapes = {
  internal: z.strictObject({}),
  ldap: z.strictObject(shapesOf(ldap)),
  active_directory: z.strictObject(shapesOf(activeDirectory)),
  freeipa: z.strictObject(shapesOf(freeipa)),
} as const satisfies Record<DomainType, z.ZodType>;

/** `type` is that of the domain where it is known; it is no parameter. */
export type DirectoryParams = z.output<typeof paramShapes.ldap> & {
  nested_groups?: boolean;
  type?: DomainType;
};

/** Parameters of a domain whose type is known. */
export type TypedParams = DirectoryParams & { type: DomainType };

const internal = {
  is_external: false,
  pkinit_supported: false,
  needs_password: true,
  search_users_supported: true,
  search_groups_supported: true,
};
const external = {
  is_external: true,
  pkinit_supported: true,
  needs_password: false,
  search_users_supported: true,
  search_groups_supported: true,
};
const alike = {
  create_users_supported: true,
  two_factor_supported: true,
  label_username: 'User name',
  label_groupname: 'Group name',
  label_password: 'Password',
} as const;

/** What a login page and an administrator may expect of each type. */
export const typeFacts = {
  internal: {
    name: 'Internal',
    description: 'Users and passwords are stored in the portal',
    ...internal,
    ...alike,
  },
  ldap: {
    name: 'LDAP',
    description: 'Users and groups of an LDAP directory',
    ...external,
    ...alike,
  },
  active_directory: {
    name: 'Active Directory',
    description: 'Users and groups of a Microsoft domain',
    ...external,
    ...alike,
  },
  freeipa: {
    name: 'FreeIPA',
    description: 'Users and groups of a FreeIPA domain',
    ...external,
    ...alike,
  },
} as const satisfies Record<DomainType, object>;
