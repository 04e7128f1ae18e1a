import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type DomainTypeName, domainTypeOf } from '../../../shared/identity/domains/registry.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import { requireService } from '../../support/services.ts';

const microsoft = '/usr/share/samba/setup/ad-schema/AD_DS_Attributes__Windows_Server_2016.ldf';
const folders = ['/usr/share/dirsrv/schema', '/etc/ldap/schema'].filter(existsSync);
const parameters = parametersFrom(null);
const secret =
  /pass(w|phrase)|pwd|secret(?!ary)|private|key(?!words)|hash|credential|token|pin$|otp|recovery|certificate|pkcs12/i;

type Definition = { name: string; isConfidential: boolean };

/** Microsoft's own definitions. Bit 7 of `searchFlags` marks confidential attributes (MS-ADTS, 2.2.9). */
const microsoftSchema = (): Definition[] =>
  readFileSync(microsoft, 'utf8')
    .split(/\r?\n\r?\n/)
    .flatMap((text) => {
      const name = /^ldapDisplayName: *(\S+)/im.exec(text)?.[1];
      const flags = Number(/^searchFlags: *(\d+)/im.exec(text)?.[1] ?? 0);
      return name === undefined ? [] : [{ name, isConfidential: (flags & 128) !== 0 }];
    });

/** All names that the schemas of OpenLDAP and 389 Directory Server define. */
const openSchema = (): string[] =>
  folders
    .flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))
    .filter((file) => /\.(ldif|schema)$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(file, 'latin1').replace(/\r?\n /g, '');
      const types = text.matchAll(/attributetypes?:?\s*\([^']*?NAME\s+(?:\(([^)]*)\)|('[^']+'))/gi);
      return [...types].flatMap(([, several, one]) => (several ?? one ?? '').match(/[A-Za-z][\w-]*/g) ?? []);
    });

const mapped = [
  ...[
    'cn',
    'sn',
    'givenName',
    'displayName',
    'mail',
    'telephoneNumber',
    'mobile',
    'title',
    'department',
    'ou',
  ],
  ...[
    'employeeNumber',
    'employeeID',
    'employeeType',
    'departmentNumber',
    'manager',
    'l',
    'postalCode',
    'uid',
  ],
];

const isReadable = (type: DomainTypeName, name: string, given: typeof parameters): boolean =>
  domainTypeOf(type).attributes?.isReadable(name, given) ?? false;

it('the attributes that administrators map are readable in every directory', () => {
  for (const type of ['ldap', 'freeipa', 'active_directory'] as const)
    expect(mapped.filter((name) => !isReadable(type, name, parameters))).toEqual([]);
  const own = [
    'extensionAttribute15',
    'msDS-cloudExtensionAttribute20',
    'middleName',
    'otherMailbox',
    'homeDrive',
  ];
  expect(own.filter((name) => !isReadable('active_directory', name, parameters))).toEqual([]);
});

requireService('samba', existsSync(microsoft))('the schema of Active Directory', () => {
  it('has no readable attribute that is confidential or has the name of a secret', () => {
    const schema = microsoftSchema();
    expect(schema.length).toBeGreaterThan(1_400);
    const closed = schema.filter(({ name, isConfidential }) => isConfidential || secret.test(name));
    expect(closed.length).toBeGreaterThan(100);
    expect(closed.map(({ name }) => name)).toContain('unicodePwd');
    const leaking = closed.filter(({ name }) => isReadable('active_directory', name, parameters));
    expect(leaking.map(({ name }) => name)).toEqual([]);
    // Most of the schema does not describe users.
    const readable = schema.filter(({ name }) => isReadable('active_directory', name, parameters));
    expect(readable.length).toBeGreaterThan(90);
    expect(readable.length).toBeLessThan(130);
  });
});

requireService('slapd and 389-ds', folders.length === 2)('the schemas of OpenLDAP and 389-ds', () => {
  it.each(['ldap', 'freeipa'] as const)('have no readable secret for a domain of type %s', (type) => {
    const schema = openSchema();
    expect(schema.length).toBeGreaterThan(1_500);
    const closed = schema.filter((name) => secret.test(name));
    expect(closed).toEqual(expect.arrayContaining(['userPassword', 'sambaNTPassword', 'userPKCS12']));
    expect(closed.filter((name) => isReadable(type, name, parameters))).toEqual([]);
    expect(schema.filter((name) => name.toLowerCase() === 'employeenumber').length).toBeGreaterThan(0);
  });
});
