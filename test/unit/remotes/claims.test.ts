import { describe, expect, it } from 'vitest';
import { admissionOf } from '../../../shared/identity/domains/oidc/settings/admission.ts';
import { pairOf, requiredClaimsOf } from '../../../shared/identity/domains/oidc/settings/pairs.ts';
import { assertAdmitted } from '../../../shared/remotes/oidc/login/admission.ts';
import { claimAt, isTrue, pathOf, textOf, textsOf } from '../../../shared/remotes/oidc/login/claims.ts';
import { OidcError } from '../../../shared/remotes/oidc/port.ts';

const refusalOf = (
  claims: Record<string, unknown>,
  required: readonly string[],
  { trustsEmail = false, loginNameClaim = 'preferred_username' } = {},
) => {
  try {
    assertAdmitted(claims, { requiredClaims: requiredClaimsOf(required), trustsEmail, loginNameClaim });
    return undefined;
  } catch (error) {
    if (!(error instanceof OidcError)) throw error;
    return [error.reason, error.claim];
  }
};

describe('a claim', () => {
  it.each<[string, unknown]>([
    ['name', 'whole'],
    ['https://example.com/groups', 'by an address'],
    ['realm_access.roles', ['nested']],
    [String.raw`resource_access.my\.client.roles`, ['with a dot']],
    ['["resource_access","my.client","roles"]', ['with a dot']],
    ['a.b', 'whole name first'],
    ['realm_access.none', undefined],
    ['__proto__.polluted', undefined],
  ])('is found by its name or path: %s', (path, value) => {
    const claims = {
      name: 'whole',
      'https://example.com/groups': 'by an address',
      realm_access: { roles: ['nested'] },
      resource_access: { 'my.client': { roles: ['with a dot'] } },
      'a.b': 'whole name first',
      a: { b: 'nested' },
    };
    expect(claimAt(claims, path)).toEqual(value);
  });

  it.each([
    '',
    'a..b',
    '.a',
    '[]',
    '[1]',
    '["a"',
    'a\nb',
    Array(17).fill('a').join('.'),
  ])('is not named by %j', (text) => {
    expect(text === '' ? undefined : pathOf(text)?.length || undefined).toBeUndefined();
  });

  it.each([[true], ['true']])('is true as %j', (value) => expect(isTrue(value)).toBe(true));
  it.each([
    [false],
    ['false'],
    ['True '],
    [1],
    ['1'],
    ['yes'],
    [null],
    [undefined],
    [[true]],
    [{}],
  ])('is not true as %j', (value) => expect(isTrue(value)).toBe(false));

  it('has one text as a text, a number, or an array of one', () => {
    expect(['ada', 1815, ['ada'], [1815]].map(textOf)).toEqual(['ada', '1815', 'ada', '1815']);
    expect(['', [], ['a', 'b'], {}, true, null, Number.NaN].map(textOf)).toEqual(Array(7).fill(undefined));
  });

  it.each<[string, unknown, string[] | undefined]>([
    ['an array (Keycloak, Entra ID)', ['staff', 'ops', 'staff'], ['staff', 'ops']],
    ['one text (ADFS with one group)', 'Domain Users', ['Domain Users']],
    ['one text with a comma, which may be a name', 'x,administrators', ['x,administrators']],
    ['an empty text', '', []],
    ['a distinguished name', 'CN=Staff,OU=Groups,DC=corp', ['CN=Staff,OU=Groups,DC=corp']],
    ['numbers (GitLab)', [12, 34], ['12', '34']],
    [
      'objects with identifiers',
      [
        { id: 'g-1', name: 'Staff' },
        { value: 'g-2', display: 'Ops' },
      ],
      ['g-1', 'g-2'],
    ],
    ['objects with names alone', [{ name: 'Staff' }], ['Staff']],
    ['members of an object (Zitadel)', { staff: { '123': 'corp.zitadel.cloud' }, ops: {} }, ['staff', 'ops']],
    ['nothing', undefined, []],
    ['null', null, []],
    ['an array of arrays', [['staff']], undefined],
    ['objects without a name', [{ title: 'Staff' }], undefined],
    ['a number', 12, ['12']],
  ])('has several values as %s', (_, value, texts) => expect(textsOf(value)).toEqual(texts));
});

describe('required claims', () => {
  it('are alternatives of one claim, and all of several claims', () => {
    const required = ['hd=corp.example', 'hd=corp.test', 'amr=mfa'];
    expect(refusalOf({ hd: 'corp.test', amr: ['pwd', 'mfa'] }, required)).toBeUndefined();
    expect(refusalOf({ hd: 'corp.test', amr: ['pwd'] }, required)).toEqual(['claim_not_allowed', 'amr']);
    expect(refusalOf({ hd: 'gmail.com', amr: ['mfa'] }, required)).toEqual(['claim_not_allowed', 'hd']);
    expect(refusalOf({ amr: ['mfa'] }, required)).toEqual(['claim_not_allowed', 'hd']);
  });

  it('compare values of any type by their text', () => {
    expect(refusalOf({ employee: true, level: 3 }, ['employee=true', 'level=3'])).toBeUndefined();
    expect(refusalOf({ employee: 'false' }, ['employee=true'])).toEqual(['claim_not_allowed', 'employee']);
  });

  it.each<[string, Record<string, unknown>, boolean]>([
    ['verified', { email: 'Ada@Corp.Example', email_verified: true }, true],
    ['verified as a text', { email: 'ada@corp.example', email_verified: 'true' }, true],
    ['not verified', { email: 'ada@corp.example', email_verified: false }, false],
    ['not verified as a text', { email: 'ada@corp.example', email_verified: 'false' }, false],
    ['of which nothing is said', { email: 'ada@corp.example' }, false],
    ['of a domain that only ends alike', { email: 'ada@evilcorp.example', email_verified: true }, false],
    ['of a subdomain', { email: 'ada@mail.corp.example', email_verified: true }, false],
    ['with two signs', { email: 'ada@corp.example@evil.test', email_verified: true }, false],
    ['without a sign', { email: '@corp.example'.slice(1), email_verified: true }, false],
    ['that is missing', { email_verified: true }, false],
  ])('for a domain of addresses accept one that is %s: %o', (_, claims, isAdmitted) => {
    expect(refusalOf(claims, ['email=@corp.example'])).toEqual(
      isAdmitted ? undefined : ['claim_not_allowed', 'email'],
    );
  });

  it('accept addresses of which nothing is said if the domain trusts the provider', () => {
    const trusting = { trustsEmail: true };
    expect(refusalOf({ email: 'ada@corp.example' }, ['email=@corp.example'], trusting)).toBeUndefined();
    expect(refusalOf({ email: 'ada@corp.test' }, ['email=@corp.example'], trusting)).toEqual([
      'claim_not_allowed',
      'email',
    ]);
  });

  it('are read with all that follows the first sign', () => {
    expect(pairOf('claim=a=b')).toEqual(['claim', 'a=b']);
  });
});

describe('an e-mail address as the login name', () => {
  const byEmail = { loginNameClaim: 'email' };
  it.each([undefined, false, 'false', 'yes', 1])('is refused if email_verified is %j', (email_verified) => {
    const claims = { email: 'ceo@corp.example', email_verified };
    expect(refusalOf(claims, [], byEmail)).toEqual(['email_unverified', 'email_verified']);
    expect(refusalOf(claims, [], { ...byEmail, trustsEmail: true })).toBeUndefined();
  });
  it.each([true, 'true'])('is accepted if email_verified is %j', (email_verified) => {
    expect(refusalOf({ email: 'ada@corp.example', email_verified }, [], byEmail)).toBeUndefined();
  });
});

describe('the sentence who can sign in', () => {
  const open = { create_users: true, groups_claim: '', required_claims: [], allowed_tenants: [] };
  it.each([
    [open, 'Anyone with an account at the provider can sign in'],
    [{ ...open, required_claims: ['hd=corp.example'] }, 'Everybody at the provider with hd=corp.example'],
    [{ ...open, allowed_tenants: ['t-1'] }, 'with tid=t-1'],
    [{ ...open, create_users: false }, 'Only users that provisioning has added'],
    [{ ...open, groups_claim: 'groups' }, 'Members of the registered groups can sign in'],
    [
      { ...open, groups_claim: 'groups', required_claims: ['hd=corp.example'] },
      'Members of the registered groups with hd=corp.example',
    ],
  ] as const)('follows the settings %o', (settings, text) => {
    const admission = admissionOf({
      ...settings,
      required_claims: [...settings.required_claims],
      allowed_tenants: [...settings.allowed_tenants],
    });
    expect(String(admission)).toContain(text);
  });
});
