import { describe, expect, it } from 'vitest';
import { secretPattern } from '../../../db/repositories/identity/secret-members.ts';
import { isSealedPlace } from '../../../db/repositories/records/sealed/values.ts';
import type { DomainType } from '../../../shared/identity/domains/domain-type.ts';
import { builtinType, domainTypeOf, domainTypes } from '../../../shared/identity/domains/registry.ts';
import { domainTypeNames } from '../../structure/text-rules.ts';

const types: [string, DomainType][] = Object.entries(domainTypes);
const isSecret = (name: string): boolean => new RegExp(secretPattern).test(name);

describe.each(types)('the domain type %s', (_, { settings, supports, login, directory, attributes }) => {
  it('declares its secrets so that the database finds them, and no others', () => {
    const members = Object.keys(settings.shape.shape);
    expect(members.filter(isSecret).sort()).toEqual([...settings.secrets].sort());
    for (const name of settings.secrets) expect(isSealedPlace(`authenticators.params.${name}`)).toBe(true);
  });

  it('has a hidden input for a secret, and returns null and a flag', () => {
    const hidden = Object.entries(settings.fields).filter(
      ([, entry]) => 'type' in entry && entry.type === 'password',
    );
    expect(hidden.map(([name]) => name)).toEqual(settings.secrets);
    for (const name of settings.secrets) {
      const { [name]: shown, [`${name}_set`]: flag } = settings.view.shape;
      expect([shown?.safeParse('secret').success, shown?.safeParse(null).success]).toEqual([false, true]);
      expect([flag?.safeParse(true).success, flag?.safeParse('secret').success]).toEqual([true, false]);
    }
  });

  it('describes every setting by a field', () =>
    expect(Object.keys(settings.fields)).toEqual(Object.keys(settings.shape.shape)));

  it('has the functions for its capabilities', () => {
    if (supports.ownPassword) expect(login.proof).toBe('password');
    if (supports.bindAccount) expect(settings.secrets).not.toEqual([]);
    if (attributes) expect(supports.localUsers).toBe(false);
    if (directory) expect(supports.localUsers).toBe(false);
  });
});

it('the type of the built-in domain stores passwords, so that administrators can always log in', () =>
  expect(domainTypeOf(builtinType).supports.ownPassword).toBe(true));

it('the structure rules read the names of all types from the text of the registry', () =>
  expect(domainTypeNames).toEqual(Object.keys(domainTypes)));

it('a type that no version stored is an error, not a directory', () =>
  expect(() => domainTypeOf('radius')).toThrow('There is no domain type radius'));
