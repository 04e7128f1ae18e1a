import { z } from 'zod';
import type { DomainWord } from '../../messages/domain-words.ts';
import { connectionShapes, Kerberos, searchShapes } from './directory-shapes.ts';
import { field } from './fields.ts';

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
    tooltip: 'host:port, asked in this order',
    tab: kerberosTab,
  }),
  anchors: field(Kerberos.shape.anchors, {
    type: 'textarea',
    label: 'Trust anchors',
    tooltip: 'PEM certificates that certificates of the KDC must lead to',
    tab: kerberosTab,
  }),
  kdc_hostnames: field(Kerberos.shape.kdc_hostnames, {
    type: 'editlist',
    label: 'Names of the KDC',
    tooltip: 'Names that its certificate may bear, when they are not those of its address',
    tab: kerberosTab,
  }),
  eku: field(Kerberos.shape.eku, {
    type: 'choice',
    label: 'Purpose of the certificate',
    tooltip: 'The extended key usage that the certificate of the KDC must have',
    choices: { kdc: 'Kerberos KDC', server_auth: 'Server authentication' },
    tab: kerberosTab,
  }),
  card_without_directory_h: field(Kerberos.shape.card_without_directory_h, {
    type: 'numeric',
    label: 'Cards without the directory',
    tooltip:
      'Hours after a checked login in which the same card is admitted while the directory cannot be reached; 0: never. Needs the permission for all sites',
    tab: kerberosTab,
  }),
};

/** A form sends what nobody filled in as empty. */
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
    tooltip: 'ldaps://host or ldap://host, with a port if need be; asked in this order',
    tab: server,
  }),
  start_tls: field(connectionShapes.start_tls, {
    type: 'checkbox',
    label: 'StartTLS',
    tooltip: 'Encrypt connections to ldap:// servers; without it they must be in allowed private networks',
    tab: server,
  }),
  ca_certificate: field(connectionShapes.ca_certificate, {
    type: 'textarea',
    label: 'Certificate authority',
    tooltip: 'PEM certificates that are trusted instead of the public authorities',
    tab: server,
  }),
  bind_dn: field(connectionShapes.bind_dn, {
    type: 'text',
    label: 'Account',
    tooltip: 'Who searches; empty: anonymous',
    tab: server,
  }),
  bind_password: field(connectionShapes.bind_password, {
    type: 'password',
    label: 'Password of the account',
    tooltip: 'Never read back; kept when it is left empty and the servers stay the same',
    tab: server,
  }),
  timeout_s: field(connectionShapes.timeout_s, {
    type: 'numeric',
    label: 'Time limit',
    tooltip: 'Seconds that one login or search may take',
    tab: server,
  }),
  page_size: field(connectionShapes.page_size, {
    type: 'numeric',
    label: 'Page size',
    tooltip: 'Entries that one answer of the directory may hold',
    tab: server,
  }),
};

const attributesBy =
  (defaults: Attributes) =>
  (name: keyof Attributes, label: DomainWord, tooltip: DomainWord, tab: DomainWord) =>
    field(searchShapes[name].default(defaults[name]), {
      type: 'text',
      label,
      tooltip,
      tab,
    });

function searchFields(defaults: Attributes) {
  const attribute = attributesBy(defaults);
  return {
    base_dn: field(searchShapes.base_dn, {
      type: 'text',
      label: 'Base',
      tooltip: 'The entry below which users and groups are, for example dc=example,dc=com',
      tab: users,
    }),
    user_filter: field(searchShapes.user_filter, {
      type: 'text',
      label: 'User filter',
      tooltip: 'Only users that fit it may log in, for example (memberOf=cn=staff,dc=example,dc=com)',
      tab: users,
    }),
    user_class: attribute('user_class', 'User class', 'Object class of users', users),
    user_id_attribute: attribute('user_id_attribute', 'Login attribute', 'Holds the login name', users),
    user_name_attribute: attribute('user_name_attribute', 'Name attribute', 'Holds the real name', users),
    group_class: attribute('group_class', 'Group class', 'Object class of groups', groups),
    group_id_attribute: attribute('group_id_attribute', 'Group attribute', 'Holds the name', groups),
    member_attribute: attribute('member_attribute', 'Member attribute', 'Holds the members', groups),
  };
}
