import { describe, expect, it } from 'vitest';
import type { Realm } from '../../../shared/identity/domains/domain-type.ts';
import { chooseName } from '../../../shared/identity/pkinit/certificate-names.ts';

const realm = (resolvesUpns: boolean): Realm => ({
  name: 'CORP.EXAMPLE',
  resolvesUpns,
  kdcs: [],
  deadlineMs: 1,
  cardWithoutDirectoryH: 0,
  trust: { realm: 'CORP.EXAMPLE', anchors: '', hosts: [], eku: 'kdc' },
});
const principal = (parts: string[], of = 'CORP.EXAMPLE') => ({ type: 1, parts, realm: of });
const names = (given: Partial<Parameters<typeof chooseName>[0]>) => ({
  principals: [],
  upns: [],
  hosts: [],
  ...given,
});

describe('the user named by a card', () => {
  it('is a principal of the realm, or a UPN with its name as suffix', () => {
    const byPrincipal = chooseName(names({ principals: [principal(['ada'])] }), realm(false), undefined);
    expect(byPrincipal).toEqual({ principal: principal(['ada']), username: 'ada', upn: undefined });
    const byUpn = chooseName(names({ upns: ['ada@corp.example'] }), realm(false), undefined);
    expect(byUpn).toEqual({ principal: principal(['ada']), username: 'ada', upn: 'ada@corp.example' });
  });

  it('is a UPN of any suffix in Active Directory, used as a whole', () => {
    const upns = ['robert@mail.example'];
    expect(chooseName(names({ upns }), realm(true), undefined)).toEqual({
      principal: { type: 10, parts: upns, realm: 'CORP.EXAMPLE' },
      username: 'robert@mail.example',
      upn: 'robert@mail.example',
    });
    expect(() => chooseName(names({ upns }), realm(false), undefined)).toThrow('belongs to another account');
    expect(() => chooseName(names({ upns }), realm(true), 'robert')).toThrow('belongs to another account');
  });

  it('prefers the UPN in Active Directory and the principal elsewhere', () => {
    const both = names({ principals: [principal(['a'])], upns: ['b@corp.example'] });
    expect([true, false].map((isAd) => chooseName(both, realm(isAd), undefined).username)).toEqual([
      'b',
      'a',
    ]);
    expect(chooseName(both, realm(true), 'A@corp.example').username).toBe('a');
  });

  it.each([
    [['host', 'server']],
    [['ada', 'admin']],
    [['']],
    [[]],
  ])('is missing for a principal of the parts %j', (parts) => {
    expect(() => chooseName(names({ principals: [principal(parts)] }), realm(false), undefined)).toThrow();
  });

  it.each(['@corp.example', 'ada@', 'ada', ''])('is missing for the UPN %j', (upn) => {
    expect(() => chooseName(names({ upns: [upn] }), realm(true), undefined)).toThrow();
  });

  it('is missing for a principal of another realm', () => {
    const foreign = names({ principals: [principal(['ada'], 'corp.example')] });
    expect(() => chooseName(foreign, realm(false), undefined)).toThrow('belongs to another account');
  });
});
