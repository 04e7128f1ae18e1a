import { z } from 'zod';
import { Certificates } from '../../http/fields.ts';
import {
  type DirectoryPeer,
  directoryUrl,
  hostAndPort,
  parseDirectoryUrl,
  parseKdc,
} from '../../remotes/directory/address.ts';
import { field } from './fields.ts';

/** What differs between directories. */
type Defaults = {
  user_class: string;
  user_id_attribute: string;
  group_class: string;
  group_id_attribute: string;
  member_attribute: string;
};

const [server, users, groups, kerberosTab] = ['Server', 'Users', 'Groups', 'Kerberos'];

/** A text in the one spelling that is stored. */
const spelledBy = (pattern: RegExp, parse: (text: string) => DirectoryPeer | undefined, message: string) =>
  z
    .string()
    .max(300)
    .regex(pattern, message)
    .transform((text, { addIssue }) => {
      const peer = parse(text);
      if (peer) return peer.text;
      addIssue(message);
      return z.NEVER;
    });

const Hosts = z.array(spelledBy(directoryUrl, parseDirectoryUrl, 'ldap:// or ldaps://, a host and a port'));
const Kdcs = z.array(spelledBy(hostAndPort, parseKdc, 'A host, a colon and a port'));
/** RFC 4512, 2.5: a name or an object identifier; some directories have underscores besides. */
const Attribute = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.;-]{0,127}$/, 'A name of the directory');
const DistinguishedName = z.string().trim().max(1024);
const Filter = z
  .string()
  .trim()
  .max(2048)
  .regex(/^(\(.*\))?$/s, 'A filter in parentheses (RFC 4515)')
  .refine(isBalanced, 'The parentheses do not match');

/** Directories that have a realm write it in upper case. A KDC compares it with regard to case (RFC 4120, 6.1). */
const Realm = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,255}$/, 'A realm')
  .toUpperCase();

const kerberosFields = {
  realm: field(Realm.describe('Kerberos realm of the directory, stored in upper case.'), {
    type: 'text',
    label: 'Realm',
    tooltip: 'For logins with a certificate (PKINIT)',
    tab: kerberosTab,
  }),
  kdc: field(Kdcs.min(1).max(10).describe('Key distribution centres as `host:port`, tried in this order.'), {
    type: 'editlist',
    label: 'Key distribution centres',
    tooltip: 'host:port, asked in this order',
    tab: kerberosTab,
  }),
  anchors: field(
    Certificates.describe('PEM certificates of the authorities that issue the certificates of the KDC.'),
    {
      type: 'textarea',
      label: 'Trust anchors',
      tooltip: 'PEM certificates that certificates of the KDC must lead to',
      tab: kerberosTab,
    },
  ),
  kdc_hostnames: field(
    z
      .array(z.string().regex(/^[A-Za-z0-9.-]{1,253}$/))
      .max(10)
      .default([])
      .describe('Names that the certificate of the KDC may have instead of those in `kdc`. Default: none.'),
    {
      type: 'editlist',
      label: 'Names of the KDC',
      tooltip: 'Names that its certificate may bear, when they are not those of its address',
      tab: kerberosTab,
    },
  ),
  eku: field(
    z
      .enum(['kdc', 'server_auth'])
      .default('kdc')
      .describe(
        'Extended key usage that the certificate of the KDC must have: `kdc` (Kerberos) or `server_auth` (TLS server). Default `kdc`.',
      ),
    {
      type: 'choice',
      label: 'Purpose of the certificate',
      tooltip: 'The extended key usage that the certificate of the KDC must have',
      choices: { kdc: 'Kerberos KDC', server_auth: 'Server authentication' },
      tab: kerberosTab,
    },
  ),
  card_without_directory_h: field(
    z
      .int()
      .min(0)
      .max(24)
      .default(0)
      .describe(
        'Hours after a checked login in which the same card is accepted while the directory cannot be reached. Default 0: never. Set only with permissions for all sites.',
      ),
    {
      type: 'numeric',
      label: 'Cards without the directory',
      tooltip:
        'Hours after a checked login in which the same card is admitted while the directory cannot be reached; 0: never. ' +
        'Needs the permission for all sites',
      tab: kerberosTab,
    },
  ),
};

export const Kerberos = z.strictObject({
  realm: kerberosFields.realm.shape,
  kdc: kerberosFields.kdc.shape,
  anchors: kerberosFields.anchors.shape,
  kdc_hostnames: kerberosFields.kdc_hostnames.shape,
  eku: kerberosFields.eku.shape,
  card_without_directory_h: kerberosFields.card_without_directory_h.shape,
});

/** A form sends what nobody filled in as empty. */
const isBlank = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((member) => member === null || member === '' || String(member) === '');

/** The parameters of a directory, in the order of their form. */
export const directoryFields = (defaults: Defaults) => ({
  ...connectionFields,
  ...searchFields(defaults),
  kerberos: {
    shape: z
      .preprocess((value) => (isBlank(value) ? null : value), Kerberos.nullable())
      .default(null)
      .describe('Parameters of logins with a certificate (Kerberos PKINIT). Null: no such logins.'),
    members: kerberosFields,
  },
});

const connectionFields = {
  hosts: field(
    Hosts.min(1)
      .max(5)
      .describe(
        'Servers as `ldaps://host` or `ldap://host`, with a port if it is not the usual one. Tried in this order.',
      ),
    {
      type: 'editlist',
      label: 'Servers',
      tooltip: 'ldaps://host or ldap://host, with a port if need be; asked in this order',
      tab: server,
    },
  ),
  start_tls: field(
    z
      .boolean()
      .default(false)
      .describe(
        'True encrypts connections to `ldap://` servers. Without it they must be in `ALLOWED_PRIVATE_NETWORKS`. Default false.',
      ),
    {
      type: 'checkbox',
      label: 'StartTLS',
      tooltip: 'Encrypt connections to ldap:// servers; without it they must be in allowed private networks',
      tab: server,
    },
  ),
  ca_certificate: field(
    Certificates.nullable()
      .default(null)
      .describe('PEM certificates trusted for the servers. Null: the public authorities.'),
    {
      type: 'textarea',
      label: 'Certificate authority',
      tooltip: 'PEM certificates that are trusted instead of the public authorities',
      tab: server,
    },
  ),
  bind_dn: field(
    DistinguishedName.default('').describe(
      'Distinguished name of the account that searches. Default: empty, an anonymous bind.',
    ),
    {
      type: 'text',
      label: 'Account',
      tooltip: 'Who searches; empty: anonymous',
      tab: server,
    },
  ),
  bind_password: field(
    z
      .string()
      .min(1)
      .max(256)
      .nullable()
      .default(null)
      .describe(
        'Password of the account that searches. Never returned; null keeps the stored one while the servers stay the same.',
      ),
    {
      type: 'password',
      label: 'Password of the account',
      tooltip: 'Never read back; kept when it is left empty and the servers stay the same',
      tab: server,
    },
  ),
  timeout_s: field(
    z
      .int()
      .min(1)
      .max(30)
      .default(5)
      .describe('Longest duration of one login or search in seconds. Default 5.'),
    {
      type: 'numeric',
      label: 'Time limit',
      tooltip: 'Seconds that one login or search may take',
      tab: server,
    },
  ),
  page_size: field(
    z.int().min(1).max(1000).default(500).describe('Number of entries in one page of a search. Default 500.'),
    {
      type: 'numeric',
      label: 'Page size',
      tooltip: 'Entries that one answer of the directory may hold',
      tab: server,
    },
  ),
};

const attribute = <S extends z.ZodType>(shape: S, label: string, tooltip: string, tab: string | undefined) =>
  field(shape, { type: 'text', label, tooltip, ...(tab && { tab }) });

const searchFields = (defaults: Defaults) => ({
  base_dn: field(
    DistinguishedName.regex(/^[A-Za-z0-9][A-Za-z0-9.-]*\s*=.+$/, 'A distinguished name').describe(
      'Distinguished name of the entry below which users and groups are, such as `dc=example,dc=com`.',
    ),
    {
      type: 'text',
      label: 'Base',
      tooltip: 'The entry below which users and groups are, for example dc=example,dc=com',
      tab: users,
    },
  ),
  user_filter: field(
    Filter.default('').describe('LDAP filter that users must match to log in. Default: empty, all users.'),
    {
      type: 'text',
      label: 'User filter',
      tooltip: 'Only users that fit it may log in, for example (memberOf=cn=staff,dc=example,dc=com)',
      tab: users,
    },
  ),
  user_class: attribute(
    Attribute.default(defaults.user_class).describe(
      'Object class of users. Default: `inetOrgPerson` in LDAP, `user` in Active Directory, `person` in FreeIPA.',
    ),
    'User class',
    'Object class of users',
    users,
  ),
  user_id_attribute: attribute(
    Attribute.default(defaults.user_id_attribute).describe(
      'Attribute with the login name. Default: `sAMAccountName` in Active Directory, otherwise `uid`.',
    ),
    'Login attribute',
    'Holds the login name',
    users,
  ),
  user_name_attribute: attribute(
    Attribute.default('cn').describe('Attribute with the full name. Default `cn`.'),
    'Name attribute',
    'Holds the real name',
    users,
  ),
  group_class: attribute(
    Attribute.default(defaults.group_class).describe(
      'Object class of groups. Default: `posixGroup` in LDAP, `group` in Active Directory, `ipausergroup` in FreeIPA.',
    ),
    'Group class',
    'Object class of groups',
    groups,
  ),
  group_id_attribute: attribute(
    Attribute.default(defaults.group_id_attribute).describe(
      'Attribute with the name of a group. Default `cn`.',
    ),
    'Group attribute',
    'Holds the name',
    groups,
  ),
  member_attribute: attribute(
    Attribute.default(defaults.member_attribute).describe(
      'Attribute with the members of a group. Default: `memberUid` in LDAP, otherwise `member`.',
    ),
    'Member attribute',
    'Holds the members',
    groups,
  ),
});

/** In RFC 4515 a parenthesis that is part of a value is written `\28` or `\29`. */
function isBalanced(text: string): boolean {
  let depth = 0;
  for (const char of text) {
    if (char === '(') depth++;
    else if (char === ')' && --depth < 0) return false;
  }
  return depth === 0;
}
