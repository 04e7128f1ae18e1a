import { suffix } from './slapd.ts';

type EntryAttributes = Record<string, string | readonly string[]>;

/** RFC 2849: values other than plain ASCII are in base64. */
const line = (name: string, value: string): string =>
  /^(?![ :<])[\x20-\x7e]*$/.test(value)
    ? `${name}: ${value}`
    : `${name}:: ${Buffer.from(value).toString('base64')}`;

/** An entry as LDIF, or as a change record with `changetype` among its attributes. */
export const entry = (dn: string, members: EntryAttributes): string =>
  [
    line('dn', dn),
    ...Object.entries(members).flatMap(([name, values]) => [values].flat().map((value) => line(name, value))),
    '',
    '',
  ].join('\n');

/** RFC 4514 section 2.4. */
const escaped = (value: string): string => value.replace(/[,+"\\<>;=]/g, '\\$&');

export const passwordOf = (uid: string): string => `secret of ${uid}`;
export const personDn = (uid: string): string => `uid=${escaped(uid)},ou=people,${suffix}`;
export const groupDn = (cn: string): string => `cn=${escaped(cn)},ou=groups,${suffix}`;

/** A user with the password `passwordOf(uid)`. */
export const person = (uid: string, given: EntryAttributes = {}): string =>
  entry(personDn(uid), {
    objectClass: ['inetOrgPerson', 'foreignAccount', 'shadowAccount'],
    uid,
    cn: `Person ${uid}`,
    sn: uid,
    userPassword: passwordOf(uid),
    ...given,
  });

/** A group whose members are distinguished names. */
export const groupOfNames = (cn: string, member: readonly string[]): string =>
  entry(groupDn(cn), { objectClass: 'groupOfNames', cn, member });

/** A group whose members are login names. */
export const posixGroup = (cn: string, memberUid: readonly string[]): string =>
  entry(groupDn(cn), {
    objectClass: 'posixGroup',
    cn,
    gidNumber: '1000',
    ...(memberUid.length && { memberUid }),
  });

/** Adds members to a group, or removes them. */
export const memberChange = (cn: string, how: 'add' | 'delete', attribute: string, value: string): string =>
  [
    line('dn', groupDn(cn)),
    'changetype: modify',
    `${how}: ${attribute}`,
    line(attribute, value),
    '',
    '',
  ].join('\n');
