import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admit } from '../../../shared/access/guard.ts';
import {
  builtinRoles,
  isPermission,
  permissions,
  type Resource,
} from '../../../shared/context/permissions.ts';
import type { RoleGrant, SignedIn } from '../../../shared/context/principal.ts';
import { missingFor, permissionsOf, scopeOf, widestScope } from '../../../shared/context/rights.ts';
import { AppError } from '../../../shared/kernel/errors.ts';

const now = new Date();

const actorWith = (
  roles: RoleGrant[],
  portal: 'admin' | 'user' = 'admin',
  mustChangePassword = false,
): SignedIn => ({
  kind: 'user',
  portal,
  locale: null,
  session: { id: 's', createdAt: now, lastSeenAt: now, expiresAt: now, idleExpiresAt: now },
  user: { id: 'u', name: 'ada', realName: '', language: null, mustChangePassword },
  domain: { id: 'd', name: 'D', label: 'd', twoFactor: false },
  roles,
});

const sites = fc.oneof(fc.constant('*' as const), fc.uniqueArray(fc.constantFrom('a', 'b', 'c')));
const role: fc.Arbitrary<RoleGrant> = fc.record({
  id: fc.uuid(),
  name: fc.string(),
  permissions: fc.uniqueArray(fc.constantFrom(...permissions.slice(0, 8)), { maxLength: 6 }),
  scope: fc.record({ sites }),
});
const roles = fc.array(role, { maxLength: 4 });

/** Every single (permission, site) that the principal holds; `*` stands for sites that no role names. */
function pairsOf(principal: SignedIn): Set<string> {
  const pairs = new Set<string>();
  for (const permission of permissionsOf(principal)) {
    const scope = scopeOf(principal, permission) ?? [];
    for (const site of ['a', 'b', 'c', '*'])
      if (scope === '*' || scope.includes(site)) pairs.add(`${permission}@${site}`);
  }
  return pairs;
}

const expectPart = (part: ReadonlySet<string>, whole: ReadonlySet<string>): void =>
  expect([...part].filter((one) => !whole.has(one))).toEqual([]);

describe('the permissions of a principal', () => {
  it('are the union of those of the roles, and removing a role never adds any', () => {
    fc.assert(
      fc.property(roles, fc.nat(), fc.nat(), (given, which, what) => {
        const whole = pairsOf(actorWith(given));
        const victim = given[which % Math.max(1, given.length)];
        fc.pre(victim !== undefined);
        const smaller = given.map((one) =>
          one === victim
            ? { ...one, permissions: one.permissions.filter((_, at) => at !== what % one.permissions.length) }
            : one,
        );
        const without = pairsOf(actorWith(smaller));
        expectPart(without, whole);
        expectPart(pairsOf(actorWith(given.filter((one) => one !== victim))), whole);
        const single = given.map((one) => pairsOf(actorWith([one])));
        expect(new Set(single.flatMap((one) => [...one]))).toEqual(whole);
      }),
    );
  });

  it('are narrowed by the scope and never widened by it', () => {
    fc.assert(
      fc.property(roles, fc.nat(), (given, which) => {
        const narrowed = given.map((one, at) =>
          at === which % Math.max(1, given.length) ? { ...one, scope: { sites: [] } } : one,
        );
        expectPart(pairsOf(actorWith(narrowed)), pairsOf(actorWith(given)));
      }),
    );
  });

  it('cover the own roles, and not wider ones', () => {
    fc.assert(
      fc.property(roles, role, role, (given, asked, further) => {
        const principal = actorWith(given);
        expect(missingFor(principal, given)).toEqual([]);
        const missing = new Set(missingFor(principal, [asked]));
        expectPart(missing, new Set(missingFor(principal, [asked, further])));
        expectPart(new Set(missingFor(actorWith([...given, further]), [asked])), missing);
        const granted = pairsOf(actorWith([asked]));
        if (missing.size === 0) expectPart(granted, pairsOf(principal));
      }),
    );
  });

  it('of a session of the user portal are empty', () => {
    fc.assert(
      fc.property(roles, (given) => {
        const principal = actorWith(given, 'user');
        expect([permissionsOf(principal), widestScope(principal)]).toEqual([[], []]);
      }),
    );
  });
});

describe('the access guard', () => {
  const codeOf = (work: () => unknown): string => {
    try {
      return JSON.stringify(work());
    } catch (error) {
      return error instanceof AppError ? error.code : String(error);
    }
  };
  const holder = (given: '*' | string[]) =>
    actorWith([{ id: 'r', name: 'r', permissions: ['sites.read', 'roles.update'], scope: { sites: given } }]);

  it('refuses requests without a session, and admits all requests to public operations', () => {
    const anonymous = { kind: 'anonymous' } as const;
    expect(codeOf(() => admit(anonymous, { access: 'public', writes: true }))).toBe('"*"');
    for (const access of ['signed-in', 'sites.read'] as const)
      expect(codeOf(() => admit(anonymous, { access, writes: false }))).toBe('unauthenticated');
  });

  it('returns the scope of the permission, and refuses writes without a site to a limited scope', () => {
    expect(codeOf(() => admit(holder(['a']), { access: 'sites.read', writes: false }))).toBe('["a"]');
    expect(codeOf(() => admit(holder(['a']), { access: 'roles.update', writes: true }))).toBe('forbidden');
    expect(codeOf(() => admit(holder(['a']), { access: 'roles.update', writes: true, sited: true }))).toBe(
      '["a"]',
    );
    expect(codeOf(() => admit(holder('*'), { access: 'roles.update', writes: true }))).toBe('"*"');
    expect(codeOf(() => admit(holder('*'), { access: 'sites.delete', writes: true }))).toBe('forbidden');
  });

  it('requires the mandatory password change before any other check', () => {
    const principal = actorWith([], 'admin', true);
    expect(codeOf(() => admit(principal, { access: 'sites.read', writes: false }))).toBe(
      'password_change_required',
    );
    expect(
      codeOf(() => admit(principal, { access: 'signed-in', writes: false, duringPasswordChange: true })),
    ).toBe('"*"');
  });
});

describe('the list of permissions', () => {
  it('is closed, has no duplicates, and all belong to the administrator role', () => {
    expect(new Set(permissions).size).toBe(permissions.length);
    expect(isPermission('sites.read') && !isPermission('sites.*') && !isPermission('constructor')).toBe(true);
    const [administrator, ...others] = builtinRoles;
    expect(administrator?.permissions).toEqual(permissions);
    for (const { permissions: given } of others) expect(given.every(isPermission)).toBe(true);
    for (const { permissions: given } of others)
      expect(given.filter((one) => /^(users|roles|authenticators|groups)\.(?!read)/.test(one))).toEqual([]);
  });
});

it('rejects a resource without permissions at compile time', () => {
  const known: Resource = 'sites';
  // @ts-expect-error: no permission has this resource
  const unknown: Resource = 'notes';
  expect([known, unknown].map((name) => isPermission(`${name}.read`))).toEqual([true, false]);
});
