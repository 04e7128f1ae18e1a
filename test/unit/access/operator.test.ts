import { describe, expect, it } from 'vitest';
import { admit } from '../../../shared/access/guard.ts';
import { eventBy } from '../../../shared/context/audit-entry.ts';
import { permissions } from '../../../shared/context/permissions.ts';
import { accountOf, isSignedIn, type OperatorPrincipal, ownerOf } from '../../../shared/context/principal.ts';

const operator: OperatorPrincipal = {
  kind: 'operator',
  name: 'system:apply',
  operator: 'root',
  host: 'server-1',
  portal: 'admin',
  roles: [{ id: '', name: 'operator', permissions: [...permissions], scope: { sites: '*' } }],
};

describe('the principal of a command', () => {
  it('has the permissions of its roles, and no account', () => {
    expect(admit(operator, { access: 'sites.create', writes: true })).toBe('*');
    expect(isSignedIn(operator)).toBe(true);
    expect(accountOf(operator)).toBeUndefined();
  });

  it('is refused where an account, a login or an owner of rows is needed', () => {
    const forbidden = expect.objectContaining({ code: 'forbidden' });
    expect(() => admit(operator, { access: 'signed-in', writes: false })).toThrow(forbidden);
    expect(() => admit(operator, { access: 'users.update', writes: true, needsLogin: true })).toThrow(
      forbidden,
    );
    expect(() => ownerOf(operator)).toThrow(forbidden);
    const limited = { ...operator, roles: [] };
    expect(() => admit(limited, { access: 'sites.create', writes: true })).toThrow(forbidden);
  });

  it('is recorded in the audit with the operating system account', () => {
    const event = eventBy(operator, new Date(), {
      event: 'portal.EntityAction',
      category: 'config',
      details: { more: 1 },
    });
    expect(event).toMatchObject({
      user_name: 'system:apply',
      user_id: null,
      domain: null,
      details: { more: 1, operator: 'root', host: 'server-1' },
    });
  });
});
