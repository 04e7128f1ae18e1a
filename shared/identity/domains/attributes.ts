import type { Parameters } from '../../kernel/system-parameters.ts';
import type { DirectoryParams, DomainType } from './catalogue.ts';

/** What directories of every type keep about people and groups, and what none of them keeps secrets in. */
const common = [
  ...['cn', 'commonName', 'sn', 'surname', 'givenName', 'displayName', 'initials', 'name', 'description'],
  ...['uid', 'mail', 'title', 'personalTitle', 'o', 'organizationName', 'ou', 'organizationalUnitName'],
  ...['department', 'departmentNumber', 'company', 'division', 'manager', 'secretary', 'employeeNumber'],
  ...['employeeType', 'telephoneNumber', 'mobile', 'homePhone', 'pager', 'facsimileTelephoneNumber'],
  ...['street', 'streetAddress', 'l', 'localityName', 'st', 'stateOrProvinceName', 'postalCode', 'c'],
  ...['co', 'postalAddress', 'postOfficeBox', 'physicalDeliveryOfficeName', 'roomNumber', 'buildingName'],
  ...['preferredLanguage', 'labeledURI', 'businessCategory', 'member', 'memberOf', 'uniqueMember'],
];
const posix = ['uidNumber', 'gidNumber', 'gecos', 'homeDirectory', 'loginShell', 'memberUid', 'entryUUID'];

const allowed: Readonly<Record<Exclude<DomainType, 'internal'>, readonly string[]>> = {
  ldap: [...common, ...posix, 'userPrincipalName', 'sAMAccountName', 'nsUniqueId', 'entryDN'],
  freeipa: [...common, ...posix, 'ipaUniqueID', 'krbPrincipalName', 'krbCanonicalName', 'userClass'],
  active_directory: [
    ...[...common, ...posix, 'sAMAccountName', 'userPrincipalName', 'distinguishedName', 'employeeID'],
    ...['objectGUID', 'objectSid', 'wWWHomePage', 'info', 'ipPhone', 'otherTelephone', 'otherMobile'],
    ...['proxyAddresses', 'mailNickname', 'primaryGroupID', 'whenCreated', 'countryCode'],
    ...Array.from({ length: 15 }, (_, n) => `extensionAttribute${n + 1}`),
  ],
};

/**
 * Whether an attribute of a directory may be read: one of the list of its type or of `directory.extra_attributes`. An
 * option (`;lang-en`) changes nothing; an object identifier is not allowed, because it would be a second name.
 */
export function isReadable(
  type: DomainType,
  attribute: string,
  { 'directory.extra_attributes': extra }: Parameters,
): boolean {
  if (type === 'internal') return false;
  const [name = ''] = attribute.toLowerCase().split(';');
  return [...allowed[type], ...extra.split(',')].some((one) => one !== '' && one.toLowerCase() === name);
}

const attributeParams = [
  'user_id_attribute',
  'user_name_attribute',
  'group_id_attribute',
  'member_attribute',
] as const;

/** The parameters of a directory that name an attribute that may not be read; those that stay as stored are left out. */
export const unreadableParams = (
  type: DomainType,
  params: DirectoryParams,
  parameters: Parameters,
  stored: Readonly<Record<string, unknown>> = {},
): string[] =>
  attributeParams.filter(
    (name) => params[name] !== stored[name] && !isReadable(type, params[name], parameters),
  );
