import type { Parameters } from '../../../../kernel/system-parameters.ts';
import type { DirectoryParams, DomainType } from '../../registry.ts';

/**
 * Attributes of RFC 2798, 4519 and 4524 that describe people and groups, and that Active Directory has as well. Passwords,
 * keys and certificates are left out, and so are pictures and other octets, which are no text.
 */
const common = [
  ...[
    'cn',
    'sn',
    'givenName',
    'displayName',
    'initials',
    'generationQualifier',
    'name',
    'description',
    'info',
  ],
  ...[
    'uid',
    'uniqueIdentifier',
    'mail',
    'title',
    'personalTitle',
    'o',
    'ou',
    'department',
    'departmentNumber',
  ],
  ...[
    'company',
    'division',
    'manager',
    'secretary',
    'seeAlso',
    'employeeNumber',
    'employeeType',
    'employeeID',
  ],
  ...['telephoneNumber', 'mobile', 'homePhone', 'pager', 'facsimileTelephoneNumber', 'homePostalAddress'],
  ...['street', 'streetAddress', 'l', 'st', 'postalCode', 'c', 'co', 'postalAddress', 'postOfficeBox'],
  ...['physicalDeliveryOfficeName', 'roomNumber', 'buildingName', 'houseIdentifier', 'preferredLanguage'],
  ...['labeledURI', 'businessCategory', 'serialNumber', 'member', 'memberOf', 'uniqueMember'],
];
/** Long names of the same attributes, which Active Directory does not know. */
const aliases = [
  ...['commonName', 'surname', 'organizationName', 'organizationalUnitName', 'localityName'],
  'stateOrProvinceName',
];
const posix = ['uidNumber', 'gidNumber', 'gecos', 'homeDirectory', 'loginShell', 'memberUid'];
/** RFC 4524, eduPerson, and schemas of mail servers. */
const further = [
  ...[
    'host',
    'userClass',
    'associatedDomain',
    'organizationalStatus',
    'mailAlternateAddress',
    'mailLocalAddress',
  ],
  ...['eduPersonPrincipalName', 'eduPersonNickname', 'eduPersonAffiliation', 'eduPersonPrimaryAffiliation'],
];
const numbered = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${name}${at + 1}`);

const open = [...common, ...aliases, ...posix, ...further, 'entryUUID', 'nsUniqueId', 'entryDN'];
const allowed: Readonly<Record<Exclude<DomainType, 'internal'>, readonly string[]>> = {
  ldap: [...open, 'userPrincipalName', 'sAMAccountName'],
  freeipa: [...open, 'ipaUniqueID', 'ipaNTSecurityIdentifier', 'krbPrincipalName', 'krbCanonicalName'],
  active_directory: [
    ...[...common, ...posix, 'unixHomeDirectory', 'sAMAccountName', 'userPrincipalName', 'distinguishedName'],
    ...[
      'canonicalName',
      'objectGUID',
      'objectSid',
      'primaryGroupID',
      'middleName',
      'countryCode',
      'assistant',
    ],
    ...['directReports', 'wWWHomePage', 'url', 'ipPhone', 'otherIpPhone', 'otherTelephone', 'otherMobile'],
    ...['otherHomePhone', 'otherPager', 'otherFacsimileTelephoneNumber', 'otherMailbox', 'proxyAddresses'],
    ...['mailNickname', 'homeDrive', 'profilePath', 'scriptPath', 'whenCreated', 'whenChanged'],
    ...['FirstName', 'LastName', 'DisplayName', 'Department', 'CompanyName'].map(
      (one) => `msDS-Phonetic${one}`,
    ),
    ...numbered('extensionAttribute', 15),
    ...numbered('msDS-cloudExtensionAttribute', 20),
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
