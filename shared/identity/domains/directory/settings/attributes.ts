/**
 * Attributes of RFC 2798, 4519 and 4524 that describe people and groups and that Active Directory also has. Passwords,
 * keys, certificates, pictures and other octet values are excluded.
 */
export const commonAttributes = [
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
/** Long names of the same attributes, which Active Directory does not support. */
const aliases = [
  ...['commonName', 'surname', 'organizationName', 'organizationalUnitName', 'localityName'],
  'stateOrProvinceName',
];
export const posixAttributes = [
  'uidNumber',
  'gidNumber',
  'gecos',
  'homeDirectory',
  'loginShell',
  'memberUid',
];
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
export const numbered = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${name}${at + 1}`);

/** Attributes that directories of RFC 4511 may have. */
export const openAttributes = [
  ...commonAttributes,
  ...aliases,
  ...posixAttributes,
  ...further,
  'entryUUID',
  'nsUniqueId',
  'entryDN',
];
