type SlapdOptions = {
  folder: string;
  suffix: string;
  owner: { dn: string; password: string };
  reader: { bind_dn: string };
  /** Readable by everyone without a bind. */
  isPublic: boolean;
};

/** Attributes of Active Directory and FreeIPA that the schemas of OpenLDAP do not have. */
const foreignSchema = `
attributetype ( 1.2.840.113556.1.4.221 NAME 'sAMAccountName' EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.656 NAME 'userPrincipalName' EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.8 NAME 'userAccountControl' EQUALITY integerMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.2 NAME 'objectGUID' EQUALITY octetStringMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.159 NAME 'accountExpires' EQUALITY integerMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.1460 NAME 'msDS-User-Account-Control-Computed' EQUALITY integerMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )
attributetype ( 2.16.840.1.113730.3.1.610 NAME 'nsAccountLock' EQUALITY caseIgnoreMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
attributetype ( 2.16.840.1.113730.3.1.542 NAME 'nsUniqueId' EQUALITY caseIgnoreMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
attributetype ( 2.16.840.1.113730.3.8.3.1 NAME 'ipaUniqueID' EQUALITY caseIgnoreMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
objectclass ( 1.2.840.113556.1.5.9 NAME 'foreignAccount' AUXILIARY MAY ( sAMAccountName $ userPrincipalName $ userAccountControl $ nsAccountLock $ objectGUID $ nsUniqueId $ ipaUniqueID $ accountExpires $ msDS-User-Account-Control-Computed ) )
`;

/**
 * The configuration of a slapd whose responses contain at most 100 entries unless pages are requested. Only the reader
 * may read; users may find nothing, not even themselves.
 */
export const configOf = ({ folder, suffix, owner, reader, isPublic }: SlapdOptions): string => `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
include /etc/ldap/schema/nis.schema
${foreignSchema}
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload ppolicy
pidfile ${folder}/slapd.pid
TLSCertificateFile ${folder}/cert.pem
TLSCertificateKeyFile ${folder}/key.pem
database mdb
suffix "${suffix}"
rootdn "${owner.dn}"
rootpw "${owner.password}"
directory ${folder}/data
maxsize 104857600
dbnosync
index objectClass,uid,member,memberUid,sAMAccountName,userPrincipalName eq
index cn eq,sub
limits dn.exact="${reader.bind_dn}" size.soft=100 size.hard=100 size.prtotal=unlimited
overlay ppolicy
ppolicy_default "cn=policy,${suffix}"
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${reader.bind_dn}" read by * ${isPublic ? 'read' : 'none'}
`;
