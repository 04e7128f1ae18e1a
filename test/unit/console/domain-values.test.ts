import { describe, expect, it } from 'vitest';
import type { Setting } from '../../../functions/console/app/access/domains/domain-fields.ts';
import { faultOf, withValue } from '../../../functions/console/app/access/domains/domain-values.ts';

const setting = (name: string, type: Setting['field']['type'], isMany = false): Setting => ({
  field: { name, label: name, type, ...(isMany && { isMany: true as const }) },
  path: name.split('/'),
  tab: '',
  initial: null,
});
const settings = [
  setting('hosts', 'text', true),
  setting('bind_dn', 'text'),
  setting('bind_password', 'secret'),
  setting('kerberos/realm', 'text'),
  setting('kerberos/kdcs', 'text', true),
];
/** As the API returns it. */
const stored = {
  hosts: ['ldaps://a'],
  bind_dn: 'cn=reader',
  bind_password: null,
  bind_password_set: true,
  kerberos: { realm: 'EXAMPLE.COM', kdcs: ['a'] },
};
const changed = (name: string, value: unknown, isEdit = true) =>
  withValue(settings, stored, { path: name.split('/'), value }, isEdit);

describe('settings of a domain', () => {
  it('contain neither the stored secret nor what the API adds for reading', () => {
    expect(changed('hosts', ['ldaps://b'])).toEqual({
      hosts: ['ldaps://b'],
      bind_dn: 'cn=reader',
      kerberos: { realm: 'EXAMPLE.COM', kdcs: ['a'] },
    });
  });

  it('contain a new secret, and null for one that is removed', () => {
    expect(changed('bind_password', 'new')).toMatchObject({ bind_password: 'new' });
    expect(changed('bind_password', '')).toMatchObject({ bind_password: null });
  });

  it('are null if they are emptied in a stored domain, and absent in a new one', () => {
    expect(changed('bind_dn', '')).toMatchObject({ bind_dn: null });
    expect(changed('bind_dn', '', false)).not.toHaveProperty('bind_dn');
    expect(changed('hosts', [])).toMatchObject({ hosts: [] });
  });

  it('are null as a group if no member has a value', () => {
    const half = changed('kerberos/realm', '');
    expect(half).toMatchObject({ kerberos: { realm: null, kdcs: ['a'] } });
    const none = withValue(settings, half, { path: ['kerberos', 'kdcs'], value: [] }, true);
    expect(none).toMatchObject({ kerberos: null });
  });

  it('have the faults of their entries', () => {
    const faults = new Map([
      ['params/hosts/0', 'Not a URL'],
      ['params/hosts_other', 'Another'],
    ]);
    expect(faultOf(faults, 'params/hosts')).toBe('Not a URL');
    expect(faultOf(faults, 'params/bind_dn')).toBeUndefined();
  });
});
