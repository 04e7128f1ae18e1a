import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSameDn, normalDn, standardDn } from '../../../shared/identity/domains/directory/entries/names.ts';

const plain = 'cn=Staff\\, West+ou=Berlin,ou=groups,dc=example,dc=com';

describe('distinguished names', () => {
  it.each([
    'CN=STAFF\\, WEST+OU=BERLIN,OU=GROUPS,DC=EXAMPLE,DC=COM',
    ' cn = Staff\\, West + ou = Berlin , ou = groups , dc = example , dc = com ',
    'ou=Berlin+cn=Staff\\, West,ou=groups,dc=example,dc=com',
    'cn=Staff\\2C West+ou=Berlin,ou=groups,dc=example,dc=com',
    'cn=\\53taff\\2c\\20West+ou=Berlin,ou=groups,dc=example,dc=com',
    'cn="Staff, West"+ou="Berlin";ou=groups;dc=example;dc=com',
    '2.5.4.3=Staff\\, West+OID.2.5.4.11=Berlin,organizationalUnitName=groups,dc=example,domainComponent=com',
    'cn=#0c0b53746166662c2057657374+ou=#13064265726c696e,ou=groups,dc=example,dc=com',
    'cn=Staff\\,   West+ou=Berlin\\ ,ou=groups,dc=example,dc=com',
  ])('are equal in the spelling %s', (other) => {
    expect(isSameDn(plain, other)).toBe(true);
  });

  it.each([
    'cn=Staff,ou=West,ou=groups,dc=example,dc=com',
    'cn=Staff West+ou=Berlin,ou=groups,dc=example,dc=com',
    'cn=Staff\\, West,ou=Berlin,ou=groups,dc=example,dc=com',
    'ou=Berlin,cn=Staff\\, West,ou=groups,dc=example,dc=com',
    'cn=Staff\\, West+ou=Berlin,dc=example,ou=groups,dc=com',
    'cn=Staff\\, West+ou=Berlin,ou=groups,dc=example,dc=com,dc=com',
    'cn=Staff\\\\, West+ou=Berlin,ou=groups,dc=example,dc=com',
  ])('are different in the spelling %s', (other) => {
    expect(isSameDn(plain, other)).toBe(false);
  });

  it('ignore case and composition of letters beyond ASCII', () => {
    expect(isSameDn('cn=\u00c4rzte,dc=x', 'CN=a\u0308RZTE,DC=X')).toBe(true);
    expect(isSameDn('cn=\u00c4rzte,dc=x', 'cn=\\C3\\A4rzte,dc=x')).toBe(true);
  });

  it.each([
    ...['', 'staff', 'cn', 'cn=a,', ',cn=a', 'cn=a,,dc=b', 'cn=a\\', 'cn=a\\x,dc=b', 'cn="a,dc=b'],
    ...['cn=#zz', 'cn=\\ff\\fe', '=a', 'cn=a"b"', '1.=a'],
  ])('are not parsed from %j', (text) => {
    expect(normalDn(text)).toBeUndefined();
    expect(isSameDn(text, text)).toBe(true);
    expect(standardDn(text)).toBe(text);
  });

  it('keep any value through the canonical spelling', () => {
    const value = fc.string({ unit: fc.constantFrom(...'aB ,+"\\<>;=#\u00e9\u65e5') });
    fc.assert(
      fc.property(value, value, (one, other) => {
        const dn = (text: string): string => `cn=${hexadecimal(text)},dc=example`;
        expect(normalDn(standardDn(dn(one)))).toBe(normalDn(dn(one)));
        if (isSameDn(dn(one), dn(other))) expect(folded(one)).toBe(folded(other));
      }),
    );
  });
});

const hexadecimal = (text: string): string =>
  Buffer.from(text)
    .toString('hex')
    .replace(/../g, (pair) => `\\${pair}`);
const folded = (text: string): string => text.trim().toLowerCase().replace(/\s+/g, ' ');
