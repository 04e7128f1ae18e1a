import { z } from 'zod';
import { field, type texts } from '../form-texts.ts';
import { connectionShapes, Kerberos, searchShapes } from './shapes.ts';

type Word = Parameters<typeof texts>[0];

/** What differs between directories. */
type Defaults = {
  user_class: string;
  user_id_attribute: string;
  group_class: string;
  group_id_attribute: string;
  member_attribute: string;
};

type Attributes = Defaults & { user_name_attribute: string };

const [server, users, groups, kerberosTab] = ['Server', 'Users', 'Groups', 'Kerberos'] as const;

const kerberosFields = {
  realm: field(Kerberos.shape.realm, {
    type: 'text',
    label: 'Realm',
    tooltip: 'For logins with a certificate (PKINIT)',
    tab: kerberosTab,
  }),
  kdc: field(Kerberos.shape.kdc, {
    type: 'editlist',
    label: 'Key distribution centres',
    tooltip: 'host:port, tried in this order',
    tab: kerberosTab,
  }),
  anchors: field(Kerberos.shape.anchors, {
    type: 'textarea',
    label: 'Certificate authorities of the KDC',
    tooltip: 'PEM certificates of the authorities that issue the certificates of the KDC',
    tab: kerberosTab,
  }),
  kdc_hostnames: field(Kerberos.shape.kdc_hostnames, {
    type: 'editlist',
    label: 'Names of the KDC',
    tooltip: 'Accepted names in the certificate of the KDC, if they differ from its address',
    tab: kerberosTab,
  }),
  eku: field(Kerberos.shape.eku, {
    type: 'choice',
    label: 'Purpose of the certificate',
    tooltip: 'Extended key usage that the certificate of the KDC must have',
    choices: { kdc: 'Kerberos KDC', server_auth: 'Server authentication' },
    tab: kerberosTab,
  }),
  card_without_directory_h: field(Kerberos.shape.card_without_directory_h, {
    type: 'numeric',
    label: 'Card logins without the directory',
    tooltip:
      'Hours after a verified login in which the same card is accepted while the directory is unreachable. 0: never. Requires the permission for all sites',
    tab: kerberosTab,
  }),
};

/** A form sends unset fields as empty values. */
const isBlank = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((member) => member === null || member === '' || String(member) === '');

/** The parameters of a directory, in the order of their form. */
export const directoryFields = (defaults: Defaults) => ({
  ...connectionFields,
  ...searchFields({ ...defaults, user_name_attribute: 'cn' }),
  kerberos: {
    shape: z
      .preprocess((value) => (isBlank(value) ? null : value), Kerberos.nullable())
      .default(null)
      .describe(
        'Parameters of logins with a certificate (Kerberos PKINIT). Null: such logins are not possible.',
      ),
    members: kerberosFields,
  },
});

const connectionFields = {
  hosts: field(connectionShapes.hosts, {
    type: 'editlist',
    label: 'Servers',
    tooltip: 'ldaps://host or ldap://host, optionally with a port; tried in this order',
    tab: server,
  }),
  start_tls: field(connectionShapes.start_tls, {
    type: 'checkbox',
    label: 'StartTLS',
    tooltip:
      'Encrypt connections to ldap:// servers. Otherwise the servers must be in the allowed private networks',
    tab: server,
  }),
  ca_certificate: field(connectionShapes.ca_certificate, {
    type: 'textarea',
    label: 'Certificate authority',
    tooltip: 'PEM certificates that are trusted instead of the public certificate authorities',
    tab: server,
  }),
  bind_dn: field(connectionShapes.bind_dn, {
    type: 'text',
    label: 'Account',
    tooltip: 'Search account. Empty: anonymous searches',
    tab: server,
  }),
  bind_password: field(connectionShapes.bind_password, {
    type: 'password',
    label: 'Password of the account',
    tooltip: 'Never displayed. Leave it empty to keep the stored password while the servers stay the same',
    tab: server,
  }),
  timeout_s: field(connectionShapes.timeout_s, {
    type: 'numeric',
    label: 'Time limit',
    tooltip: 'Maximum duration of a login or search in seconds, of which each server has an equal share',
    tab: server,
  }),
  page_size: field(connectionShapes.page_size, {
    type: 'numeric',
    label: 'Page size',
    tooltip: 'Maximum number of entries in one response of the directory',
    tab: server,
  }),
};

const attributesBy =
  (defaults: Attributes, tab: Word) => (name: keyof Attributes, label: Word, tooltip: Word) =>
    field(searchShapes[name].default(defaults[name]), { type: 'text', label, tooltip, tab });

function searchFields(defaults: Attributes) {
  const ofUsers = attributesBy(defaults, users);
  const ofGroups = attributesBy(defaults, groups);
  return {
    base_dn: field(searchShapes.base_dn, {
      type: 'text',
      label: 'Base',
      tooltip: 'Entry that contains the users and groups, for example dc=example,dc=com',
      tab: users,
    }),
    user_filter: field(searchShapes.user_filter, {
      type: 'text',
      label: 'User filter',
      tooltip: 'Only matching users can log in, for example (memberOf=cn=staff,dc=example,dc=com)',
      tab: users,
    }),
    user_class: ofUsers('user_class', 'User class', 'Object class of users'),
    user_id_attribute: ofUsers('user_id_attribute', 'Login attribute', 'Contains the login name'),
    user_name_attribute: ofUsers('user_name_attribute', 'Name attribute', 'Contains the full name'),
    group_class: ofGroups('group_class', 'Group class', 'Object class of groups'),
    group_id_attribute: ofGroups('group_id_attribute', 'Group attribute', 'Contains the group name'),
    member_attribute: ofGroups('member_attribute', 'Member attribute', 'Contains the members'),
  };
}
