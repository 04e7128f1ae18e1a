import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority } from '../../simulator/authority.ts';
import { passwordOf, person, posixGroup } from '../../support/directories/entries.ts';
import { type DirectoryStand, startDirectoryStand } from '../../support/directories/stand.ts';
import { addDirectory, addGroup, addMember, base, domainsPath } from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const owner = { dn: 'cn=owner,dc=example,dc=com', password: 'owner secret' };

let stand: DirectoryStand;
let domain: Json;
beforeAll(async () => {
  const entries = [person('ann'), person('fay'), posixGroup('staff', ['ann', 'fay']), posixGroup('vip', [])];
  stand = await startDirectoryStand(entries.join(''));
  domain = await stand.domainFor('staff');
});
afterAll(() => stand.close());

const withoutSecret = ({ bind_password: _, bind_password_set: __, ...params }: Json): Json => params;

describe('a caller with the scope of one site', () => {
  it.each([
    () => `${domainsPath}/${domain.id}/groups/external`,
    () => `${base}/sites/users-groups-from-domains?authenticator=${domain.id}`,
  ])('searches a directory without seeing its addresses (%#)', async (path) => {
    const { ask } = await addMember(stand.world, ['groups.read', 'sites.update'], [stand.world.site.id]);
    const { status, body } = await ask(`GET ${path()}`);
    expect(status).toBe(200);
    expect(JSON.stringify(body)).toContain('staff');
  });

  it('gets no address of a directory or a KDC', async () => {
    const kerberos = {
      realm: 'X.EXAMPLE.COM',
      kdc: ['kdc-hidden.example.com:88'],
      kdc_hostnames: ['name-hidden.example.com'],
      anchors: (await createAuthority('x')).caPem,
    };
    const made = await addDirectory(stand.world.admin, { hosts: ['ldaps://hidden.example.com'], kerberos });
    const { ask } = await addMember(stand.world, ['authenticators.read'], [stand.world.site.id]);
    for (const path of [`${domainsPath}/${made.id}`, domainsPath]) {
      const { status, body } = await ask(`GET ${path}`);
      expect([status, JSON.stringify(body)]).toEqual([200, expect.not.stringContaining('hidden')]);
    }
  });
});

describe('a change of a domain', () => {
  it('by another filter, base or account needs the stored password again', async () => {
    const guessed = await stand.domain({ bind_dn: owner.dn, bind_password: owner.password });
    const permissions = ['authenticators.read', 'authenticators.update', 'authenticators.test'];
    const { ask } = await addMember(stand.world, permissions);
    const path = `${domainsPath}/${guessed.id}`;
    const params = withoutSecret(guessed.params);
    const others = [
      { user_filter: `(&(uid=ann)(userPassword=${passwordOf('ann')}))` },
      { base_dn: 'ou=people,dc=example,dc=com' },
      { bind_dn: 'cn=other,dc=example,dc=com' },
    ];
    for (const other of others) {
      const body = { params: { ...params, ...other } };
      expect((await ask(`PATCH ${path}`, body)).body.code).toBe('secret_required');
      expect((await ask(`POST ${domainsPath}/test/ldap`, { id: guessed.id, ...body })).body.code).toBe(
        'secret_required',
      );
    }
    const again = { ...params, ...others[0], bind_password: owner.password };
    expect((await ask(`PATCH ${path}`, { params: again })).status).toBe(200);
  });

  it('to group settings needs every permission while a group waives the second factor', async () => {
    const own = await stand.domain({}, { two_factor: true });
    await addGroup(stand.world.admin, own, { name: 'vip', skip_two_factor: true });
    await addGroup(stand.world.admin, own, { name: 'staff' });
    expect((await stand.logIn(own, 'fay')).body.code).toBe('two_factor_required');
    const { ask } = await addMember(stand.world, ['authenticators.read', 'authenticators.update']);
    const change = 'changetype: modify\nadd: description\ndescription: vip\n';
    await stand.slapd.change(`dn: cn=staff,ou=groups,dc=example,dc=com\n${change}`);
    const params = { ...withoutSecret(own.params), group_id_attribute: 'description' };
    const refused = await ask(`PATCH ${domainsPath}/${own.id}`, { params });
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
    expect(refused.body.missing).toContain('groups.update');
    expect((await stand.logIn(own, 'fay')).body.code).toBe('two_factor_required');
    // Settings that do not concern the directory need only the right to change domains.
    expect((await ask(`PATCH ${domainsPath}/${own.id}`, { comments: 'checked' })).status).toBe(200);
    expect((await stand.world.admin(`PATCH ${domainsPath}/${own.id}`, { params })).status).toBe(200);
  });
});
