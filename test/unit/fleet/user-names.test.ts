import { describe, expect, it } from 'vitest';
import { parseUserName, personKey, withoutSuffix } from '../../../shared/kernel/names/user-names.ts';

describe('the name of a user on a node', () => {
  it.each([
    ['ivan', 'corp', 'corp\\ivan'],
    ['CORP\\Ivan', 'corp', 'corp\\ivan'],
    ['NETBIOS\\ivan', 'Corp', 'corp\\ivan'],
    ['CORP\\ivan', '', 'corp\\ivan'],
    ['ivan@corp', '', 'corp\\ivan'],
    ['ivan@corp.example.com', 'corp', 'corp\\ivan@corp.example.com'],
    ['CORP\\ivan@corp.example.com', '', 'corp\\ivan@corp.example.com'],
    ['ivan', '', '\\ivan'],
    ['@ivan', '', '\\@ivan'],
    ['CORP\\', '', '\\corp\\'],
  ])('%s in the domain "%s" has the key %s', (text, domain, key) => {
    expect(personKey(parseUserName(text, domain))).toBe(key);
  });

  it('can be without a suffix', () => {
    expect(['ivan', 'ivan@a', 'ivan@a@b'].map(withoutSuffix)).toEqual(['ivan', 'ivan', 'ivan']);
  });
});
