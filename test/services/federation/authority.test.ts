import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loginSessions } from '../../../db/schema/identity/login-sessions.ts';
import { serviceTokens } from '../../../db/schema/identity/service-tokens.ts';
import { users } from '../../../db/schema/identity/users.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { addRole, base, usersPath, useStand } from '../../support/factories.ts';
import { Browser } from '../../support/federation/browser.ts';
import { clientSecret } from '../../support/federation/openid-provider.ts';
import { type Federation, federate, staff, startFederationStand } from '../../support/federation/stand.ts';
import { addScimUser, startScim } from '../../support/identity/scim.ts';
import type { Json } from '../../support/portal.ts';

describe('a person of an identity provider', () => {
  const stand = useStand(() => startFederationStand());
  let other: Federation;
  beforeAll(async () => {
    other = await federate(stand.world);
  });
  afterAll(() => other.provider.close());

  const browser = () => {
    const { deps, send } = stand.world.portal;
    return new Browser(
      { baseUrl: deps.baseUrl, send },
      () => `${stand.provider.caPem}\n${other.provider.caPem}`,
    );
  };

  /** The settings of the first domain that lead to one of the two providers. */
  const to = ({ provider }: Pick<Federation, 'provider'>) =>
    stand.set({ issuer: provider.issuer, ca_certificate: provider.caPem, client_secret: clientSecret });
  const enter = async (at: Pick<Federation, 'provider'>, subject: string, name: string) => {
    at.provider.people.set(subject, { preferred_username: name, groups: [staff] });
    at.provider.atKeyboard = subject;
    return browser().follow(stand.startOf());
  };
  const userNamed = async (name: string): Promise<Json> =>
    (await stand.world.admin(`GET ${usersPath(stand.domain)}?search=${name}`)).body.items.find(
      (user: Json) => user.name === name,
    );
  const authorityOf = async ({ id }: Json) =>
    (await stand.world.portal.db.select().from(users).where(eq(users.id, id)))[0]?.directory_authority;

  it('is the issuer with the subject: after a change of the issuer no one matches the former person', async () => {
    expect((await enter(stand, 'subject-1', 'anna')).status).toBe(200);
    const anna = await userNamed('anna');
    const role = await addRole(stand.world.admin, ['sites.read']);
    await stand.world.admin(`PATCH ${usersPath(stand.domain)}/${anna.id}`, { roles: [role.id] });
    expect(await authorityOf(anna)).toBe(stand.provider.issuer);
    await stand.world.portal.db.insert(serviceTokens).values(
      [true, false].map((own) => ({
        ...{
          id: newId(),
          user_id: anna.id,
          name: String(own),
          name_key: String(own),
          token_hash: newId(),
          own,
        },
        ...{ permissions: [], scopes: {}, created_at: new Date(), expires_at: new Date() },
      })),
    );
    const { db } = stand.world.portal;
    expect(await db.$count(loginSessions, eq(loginSessions.user_id, anna.id))).toBe(1);

    await to(other);
    expect(await db.$count(loginSessions, eq(loginSessions.user_id, anna.id))).toBe(0);
    const left = await db.select().from(serviceTokens).where(eq(serviceTokens.user_id, anna.id));
    expect(left.map(({ own }) => own)).toEqual([false]);
    // The row stays with its roles, and keeps its name.
    expect(await userNamed('anna')).toMatchObject({ id: anna.id, roles: [role.id] });
    expect((await enter(other, 'subject-1', 'anna')).body).toContain(
      'Another user of the domain has the name',
    );
    expect((await enter(other, 'subject-1', 'anna of the other')).status).toBe(200);
    const namesake = await userNamed('anna of the other');
    expect(namesake.id).not.toBe(anna.id);
    expect([namesake.roles, await authorityOf(namesake)]).toEqual([[], other.provider.issuer]);

    await to(stand);
    expect((await enter(stand, 'subject-1', 'anna')).status).toBe(200);
    expect(await userNamed('anna')).toMatchObject({ id: anna.id, roles: [role.id] });
  });

  it('whom provisioning added belongs to the issuer of that time, also before the first sign-in', async () => {
    const scim = await startScim(stand.world, stand.domain);
    const user = await addScimUser(scim, { userName: 'paula', externalId: 'subject-paula' });
    const late = await addScimUser(scim, { userName: 'petra' });
    expect([await authorityOf(user), await authorityOf(late)]).toEqual([stand.provider.issuer, '']);
    await scim.ask(`PATCH /Users/${late.id}`, {
      Operations: [{ op: 'add', path: 'externalId', value: 'subject-petra' }],
    });
    expect(await authorityOf(late)).toBe(stand.provider.issuer);
    await scim.ask(`DELETE /Users/${user.id}`);
    await to(other);
    expect((await enter(other, 'subject-petra', 'petra')).status).toBe(403);
    // Whoever has the identifier at the other provider is not the person that was deleted.
    const again = await addScimUser(scim, { userName: 'paula two', externalId: 'subject-paula' });
    expect([again.id === user.id, await authorityOf(again)]).toEqual([false, other.provider.issuer]);
    await to(stand);
    expect((await enter(stand, 'subject-petra', 'petra')).status).toBe(200);
    expect((await userNamed('petra')).id).toBe(late.id);
  });

  it('that provisioning added without an identifier signs in after an administrator has bound the account', async () => {
    const user = await addScimUser(await startScim(stand.world, stand.domain), { userName: 'bea' });
    const role = await addRole(stand.world.admin, ['sites.read']);
    await stand.world.admin(`PATCH ${usersPath(stand.domain)}/${user.id}`, { roles: [role.id] });
    expect((await enter(stand, 'subject-bea', 'bea')).status).toBe(403);
    await stand.world.admin(`POST ${base}/users/${user.id}/bind`, { subject: 'subject-bea' });
    expect((await enter(stand, 'subject-bea', 'bea.new')).status).toBe(200);
    expect(await userNamed('bea.new')).toMatchObject({ id: user.id, roles: [role.id] });
  });

  it('of a row without an issuer is bound to the issuer by the first sign-in', async () => {
    expect((await enter(stand, 'subject-old', 'olga')).status).toBe(200);
    const olga = await userNamed('olga');
    const { db } = stand.world.portal;
    await db.update(users).set({ directory_authority: '' }).where(eq(users.id, olga.id));
    expect((await enter(stand, 'subject-old', 'olga')).status).toBe(200);
    expect(await authorityOf(olga)).toBe(stand.provider.issuer);
    await db.update(users).set({ directory_authority: '' }).where(eq(users.id, olga.id));
    // A change of the issuer leaves it with the former one, although it has not been bound yet.
    await to(other);
    expect((await enter(other, 'subject-old', 'olga')).status).toBe(403);
    await to(stand);
    expect(await authorityOf(olga)).toBe(stand.provider.issuer);
  });

  it('of an issuer for several tenants without a sign-in so far matches again when the issuer comes back', async () => {
    const tenants = {
      ...{ issuer: 'https://login.microsoftonline.com/organizations/v2.0', ca_certificate: null },
      ...{ allowed_tenants: ['11111111-1111-4111-8111-111111111111'], client_secret: clientSecret },
    };
    await stand.set(tenants);
    const user = await addScimUser(await startScim(stand.world, stand.domain), {
      ...{ userName: 'tessa', externalId: 'subject-tessa' },
    });
    expect(await authorityOf(user)).toBe('');
    await to(stand);
    expect(await authorityOf(user)).toBe(tenants.issuer);
    await stand.set(tenants);
    expect(await authorityOf(user)).toBe('');
    await stand.set({
      allowed_tenants: [],
      issuer: stand.provider.issuer,
      ca_certificate: stand.provider.caPem,
      client_secret: clientSecret,
    });
  });

  it('has a subject whose case counts, and is another one in another domain with the same provider', async () => {
    await enter(stand, 'Subject-Case', 'upper');
    await enter(stand, 'subject-case', 'lower');
    const [upper, lower] = [await userNamed('upper'), await userNamed('lower')];
    expect(upper.id).not.toBe(lower.id);
    await other.set({
      issuer: stand.provider.issuer,
      ca_certificate: stand.provider.caPem,
      client_secret: clientSecret,
    });
    await browser().follow(other.startOf());
    const { items } = (await stand.world.admin(`GET ${usersPath(other.domain)}?search=lower`)).body;
    expect(items).toHaveLength(1);
    expect(items[0].id).not.toBe(lower.id);
  });
});
