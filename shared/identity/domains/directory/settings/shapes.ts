import { z } from 'zod';
import { parseKdc } from '../../../../remotes/directory/address.ts';
import { Address, Host } from '../../../../shapes/addresses.ts';
import { Certificates, lengthFirst } from '../../../../shapes/fields.ts';

/** `host:port` in the stored spelling. */
const KdcAddress = z
  .string()
  .trim()
  .max(300, lengthFirst)
  .transform((text, { addIssue }) => {
    const peer = parseKdc(text);
    if (peer) return peer.text;
    addIssue('Must be a host, a colon and a port');
    return z.NEVER;
  });

/** RFC 4512, 2.5: a name or an object identifier. Some directories also allow underscores. */
const Attribute = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_.;-]{0,127}$/, 'Must be a name from the directory');
const DistinguishedName = z.string().trim().max(1024);

/** Parameters of the connection to a directory. */
export const connectionShapes = {
  hosts: z
    .array(Address('directory'))
    .min(1)
    .max(5)
    .describe(
      'Servers as `ldaps://host` or `ldap://host`, with a port if it is not the standard one. Tried in this order.',
    ),
  start_tls: z
    .boolean()
    .default(false)
    .describe(
      'If true, connections to `ldap://` servers are encrypted with StartTLS. If false, these servers must be in `ALLOWED_PRIVATE_NETWORKS`. Default false.',
    ),
  ca_certificate: Certificates.nullable()
    .default(null)
    .describe(
      'PEM certificates trusted for the servers. Null: the public certificate authorities are trusted.',
    ),
  bind_dn: DistinguishedName.default('').describe(
    'Distinguished name of the search account. Default: empty, for anonymous searches.',
  ),
  bind_password: z
    .string()
    .min(1)
    .max(256)
    .nullable()
    .default(null)
    .describe(
      'Password of the search account, never returned. Null keeps the stored password. Must be sent again if servers, TLS settings, account, base or filter change.',
    ),
  timeout_s: z
    .int()
    .min(1)
    .max(30)
    .default(5)
    .describe(
      'Maximum duration of one login or search in seconds. A server without an answer uses an equal share of it at most. Default 5.',
    ),
  page_size: z
    .int()
    .min(1)
    .max(1000)
    .default(500)
    .describe('Number of entries in one page of a search. Default 500.'),
};

/** Parameters of searches in a directory. The defaults of the attributes depend on the directory type. */
export const searchShapes = {
  base_dn: DistinguishedName.regex(
    /^[A-Za-z0-9][A-Za-z0-9.-]*\s*=.+$/,
    'Must be a distinguished name',
  ).describe(
    'Distinguished name of the entry that contains the users and groups, such as `dc=example,dc=com`.',
  ),
  user_filter: z
    .string()
    .trim()
    .max(2048)
    .regex(/^(\(.*\))?$/s, 'Must be a filter in parentheses (RFC 4515)')
    .refine(isBalanced, 'The parentheses do not match')
    .default('')
    .describe('LDAP filter that users must match to log in. Default: empty, for all users.'),
  user_class: Attribute.describe(
    'Object class of users. Default: `inetOrgPerson` in LDAP, `user` in Active Directory, `person` in FreeIPA.',
  ),
  user_id_attribute: Attribute.describe(
    'Attribute with the login name. Default: `sAMAccountName` in Active Directory, otherwise `uid`.',
  ),
  user_name_attribute: Attribute.describe('Attribute with the full name. Default `cn`.'),
  group_class: Attribute.describe(
    'Object class of groups. Default: `posixGroup` in LDAP, `group` in Active Directory, `ipausergroup` in FreeIPA.',
  ),
  group_id_attribute: Attribute.describe('Attribute with the name of a group. Default `cn`.'),
  member_attribute: Attribute.describe(
    'Attribute with the members of a group. Default: `memberUid` in LDAP, otherwise `member`.',
  ),
};

export const Kerberos = z.strictObject({
  /** Directories spell the realm in upper case. A KDC compares it case-sensitively (RFC 4120, 6.1). */
  realm: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,255}$/, 'Must be a Kerberos realm')
    .toUpperCase()
    .describe('Kerberos realm of the directory, stored in upper case.'),
  kdc: z
    .array(KdcAddress)
    .min(1)
    .max(10)
    .describe('Key distribution centres as `host:port`, tried in this order.'),
  anchors: Certificates.describe(
    'PEM certificates of the authorities that issue the certificates of the KDCs.',
  ),
  kdc_hostnames: z
    .array(Host)
    .max(10)
    .default([])
    .describe('Accepted names in the certificate of the KDC, instead of those in `kdc`. Default: none.'),
  eku: z
    .enum(['kdc', 'server_auth'])
    .default('kdc')
    .describe(
      'Extended key usage that the certificate of the KDC must have: `kdc` (Kerberos) or `server_auth` (TLS server). Default `kdc`.',
    ),
  card_without_directory_h: z
    .int()
    .min(0)
    .max(24)
    .default(0)
    .describe(
      'Hours after a verified login in which the same card is accepted while the directory is unreachable. Default 0: never accepted. Changing it requires permissions for all sites.',
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
