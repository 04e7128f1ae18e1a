import { describe, expect, it } from 'vitest';
import { fieldsOf, type UserFields } from '../../../../shared/identity/scim/users.ts';

const present: UserFields = {
  name: 'ada',
  real_name: 'Ada Lovelace',
  given_name: 'Ada',
  family_name: 'Lovelace',
  email: '',
  state: 'active',
  directory_id: null,
};
const realName = (source: object, of: UserFields | undefined = present) =>
  fieldsOf({ userName: 'ada', ...source }, of).real_name;

describe('the full name of a provisioned user', () => {
  const parts = { givenName: 'Ada', familyName: 'Lovelace' };
  it.each<[string, object, string]>([
    ['the name that changes', { displayName: 'Ada King', name: { formatted: 'Ada Lovelace' } }, 'Ada King'],
    [
      'the formatted one that changes',
      { displayName: 'Ada Lovelace', name: { formatted: 'A. King' } },
      'A. King',
    ],
    ['the formatted one alone, unchanged', { name: { formatted: 'Ada Lovelace', ...parts } }, 'Ada Lovelace'],
    ['the shown one alone, unchanged', { displayName: 'Ada Lovelace', name: parts }, 'Ada Lovelace'],
    ['its parts', { name: { givenName: 'Ada', familyName: 'King' } }, 'Ada King'],
    [
      'its parts, if the former was made of them',
      { displayName: 'Ada Lovelace', name: { givenName: 'Ada', familyName: 'King' } },
      'Ada King',
    ],
    ['nothing', {}, ''],
  ])('is %s', (_, source, expected) => expect(realName(source)).toBe(expected));

  it('stays if only its parts change and it was not made of them', () => {
    const own = { ...present, real_name: 'The Countess' };
    const source = { name: { formatted: 'The Countess', givenName: 'Ada', familyName: 'King' } };
    expect(realName(source, own)).toBe('The Countess');
  });
});
