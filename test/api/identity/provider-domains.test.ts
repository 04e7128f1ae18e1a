import { describe, expect, it } from 'vitest';
import {
  addGroup,
  addMember,
  addProvider,
  adminOf,
  audited,
  domainsPath,
  groupsPath,
  logIn,
  providerBody,
  unique,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import { addScimUser, startScim } from '../../support/identity/scim.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);
const secret = 'a secret of the provider';
const at = (domain: Json): string => `${domainsPath}/${domain.id}`;
const jwksOf = async (id: string): Promise<Json> => world.portal.send(`GET /api/auth/v7.0/oidc/${id}/jwks`);

describe('a domain with an identity provider', () => {
  it('has all settings with their defaults', async () => {
    const { params, type } = await addProvider(admin);
    expect(type).toBe('oidc');
    expect(params).toEqual({
      issuer: 'https://provider.example.com',
      discovery_url: null,
      client_id: 'portal',
      client_authentication: 'client_secret',
      client_secret: null,
      client_secret_set: false,
      ca_certificate: null,
      timeout_s: 10,
      scopes: ['openid', 'profile', 'email'],
      subject_claim: 'sub',
      confirms_subject_claim: false,
      login_name_claim: 'preferred_username',
      groups_claim: 'groups',
      allowed_tenants: [],
      required_claims: [],
      trusts_email: false,
      authorization_parameters: [],
      email_domains: [],
      create_users: true,
      acr_values: [],
      amr_values: [],
      response_mode: 'query',
      prompt: 'default',
      provider_logout: true,
      recheck: false,
    });
  });

  it('stores its e-mail domains in one spelling', async () => {
    const made = await addProvider(admin, { email_domains: [' Компания.рф. ', 'EAST.example'] });
    expect(made.params.email_domains).toEqual(['xn--80aqeigdi5k.xn--p1ai', 'east.example']);
    for (const name of ['10.0.0.1', 'localhost', '[::1]'])
      expect((await admin(`POST ${domainsPath}`, providerBody({ email_domains: [name] }))).status).toBe(422);
  });

  it('shares no e-mail domain with another one: the sign-in page selects by it', async () => {
    const names = ['north.example', 'south.example'];
    const first = await addProvider(admin, { email_domains: names });
    const refused = await admin(`POST ${domainsPath}`, providerBody({ email_domains: ['South.Example'] }));
    expect([refused.status, refused.body.errors?.[0]]).toMatchObject([
      409,
      { pointer: '/params/email_domains', code: 'already_exists' },
    ]);
    expect(JSON.stringify(refused.body)).not.toContain(first.name);
    const second = await addProvider(admin, { email_domains: ['west.example'] });
    const moved = await admin(`PATCH ${at(second)}`, { params: { email_domains: ['north.example'] } });
    expect(moved.status).toBe(409);
    expect((await admin(`PATCH ${at(first)}`, { params: { email_domains: [names[1]] } })).status).toBe(200);
    const again = await admin(`PATCH ${at(second)}`, { params: { email_domains: ['north.example'] } });
    expect(again.status).toBe(200);
  });

  it('never returns its secret, and stores it sealed', async () => {
    const { result: domain, events } = await audited(world.portal, () =>
      addProvider(admin, { client_secret: secret }),
    );
    expect(domain.params).toMatchObject({ client_secret: null, client_secret_set: true });
    const shown = JSON.stringify([(await admin(`GET ${at(domain)}`)).body, events]);
    expect(shown).not.toContain(secret);
    const stored = await world.portal.ownerDb.execute(
      `select params ->> 'client_secret' as sealed from authenticators where id = '${domain.id}'`,
    );
    const { sealed } = (stored as unknown as { rows: { sealed: string }[] }).rows[0] ?? { sealed: '' };
    expect(sealed).not.toContain(secret);
    const place = { table: 'authenticators', row: domain.id, column: 'params.client_secret' };
    expect(await world.portal.deps.sealer.open(sealed, place)).toBe(secret);
  });

  it('keeps its secret for the same provider only', async () => {
    const domain = await addProvider(admin, { client_secret: secret });
    const change = (params: Json) => admin(`PATCH ${at(domain)}`, { params });
    expect((await change({ amr_values: ['mfa'] })).body.params.client_secret_set).toBe(true);
    for (const params of [{ issuer: 'https://other.example.com' }, { client_id: 'other' }]) {
      const { status, body } = await change(params);
      expect([status, body.code, body.errors[0].pointer]).toEqual([
        422,
        'secret_required',
        '/params/client_secret',
      ]);
    }
    const moved = await change({ issuer: 'https://other.example.com', client_secret: 'another' });
    expect([moved.status, moved.body.params.client_secret_set]).toEqual([200, true]);
    expect((await change({ client_secret: null })).body.params.client_secret_set).toBe(false);
  });

  it.each([
    ['an issuer without encryption', { issuer: 'http://provider.example.com' }, '/params/issuer'],
    ['an issuer with a query', { issuer: 'https://provider.example.com/?a=b' }, '/params/issuer'],
    ['an issuer at a private address', { issuer: 'https://10.0.0.8/realms/a' }, '/params/issuer'],
    ['an issuer of the local machine', { issuer: 'https://[::1]/' }, '/params/issuer'],
    ['no client identifier', { client_id: ' ' }, '/params/client_id'],
    ['scopes without openid', { scopes: ['profile'] }, '/params/scopes'],
    ['a claim that can change as the person', { subject_claim: 'email' }, '/params/subject_claim'],
    [
      'no tenants for several tenants',
      { issuer: 'https://login.microsoftonline.com/organizations/v2.0' },
      '/params/allowed_tenants',
    ],
    ['a tenant that is no UUID', { allowed_tenants: ['contoso'] }, '/params/allowed_tenants/0'],
    ['an e-mail domain with a name', { email_domains: ['anna@example.com'] }, '/params/email_domains/0'],
    ['an unknown setting', { password: 'x' }, '/params/password'],
    ['a time limit of zero', { timeout_s: 0 }, '/params/timeout_s'],
  ])('is refused with %s', async (_, params, pointer) => {
    const { status, body } = await admin(`POST ${domainsPath}`, providerBody(params));
    expect([status, body.errors?.[0]?.pointer]).toEqual([422, pointer]);
  });

  it('is listed with its flow', async () => {
    const domain = await addProvider(admin);
    const { body } = await world.portal.send('GET /api/auth/v7.0/authenticators');
    const flowOf = (id: string) => body.find((one: Json) => one.authUuid === id)?.flow;
    expect([flowOf(domain.id), flowOf(world.domain.id)]).toEqual(['redirect', 'password']);
  });

  it('refuses a password, which is audited and locks no account', async () => {
    const domain = await addProvider(admin);
    const { result, events } = await audited(world.portal, async () => {
      const answers = [];
      for (let n = 0; n < 12; n++) answers.push(await logIn(world.portal, domain, { name: 'anna' }));
      return answers;
    });
    expect(new Set(result.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
      new Set(['403 redirect_required']),
    );
    expect(events[0]).toMatchObject({
      event: 'portal.LoginFailed',
      domain: domain.small_name,
      user_name: 'anna',
      details: { code: 'redirect_required' },
    });
    await admin(`PATCH ${at(domain)}`, { state: 'hidden' });
    expect((await logIn(world.portal, domain, { name: 'anna' })).body.code).toBe('invalid_credentials');
  });

  it('has no users that an administrator adds, except services', async () => {
    const domain = await addProvider(admin);
    const add = (given: Json) => admin(`POST ${usersPath(domain)}`, { name: unique('user'), ...given });
    const person = await add({});
    expect([person.status, person.body.errors[0].pointer]).toEqual([422, '/kind']);
    expect((await add({ kind: 'service' })).status).toBe(201);
  });

  it('has groups with the identifiers of the provider', async () => {
    const domain = await addProvider(admin);
    const external_id = '6f1f3b1e-0000-4000-8000-00000000000a';
    const group = await addGroup(admin, domain, { external_id });
    expect((await admin(`GET ${groupsPath(domain)}/${group.id}`)).body.external_id).toBe(external_id);
    expect((await admin(`GET ${groupsPath(domain)}/external_groups`)).status).not.toBe(200);
  });
});

describe('a user of a domain with an identity provider', () => {
  it('has the name and the groups that the provider states: administrators change neither', async () => {
    const domain = await addProvider(admin);
    const group = await addGroup(admin, domain, { external_id: 'g-1' });
    const scim = await startScim(world, domain);
    const { id, userName } = await addScimUser(scim);
    const path = `${usersPath(domain)}/${id}`;
    const renamed = await admin(`PATCH ${path}`, { name: `${userName}-2` });
    expect([renamed.status, renamed.body.errors?.[0]]).toMatchObject([
      422,
      { pointer: '/name', code: 'immutable' },
    ]);
    expect((await admin(`PATCH ${path}`, { groups: [group.id], comments: 'known' })).body).toMatchObject({
      name: userName,
      groups: [],
      comments: 'known',
    });
  });
});

describe('the registration of the portal at an identity provider', () => {
  const registrationOf = ({ id }: Json, ask = admin) => ask(`GET ${at({ id })}/registration`);

  it('has the addresses that the portal serves, and its keys', async () => {
    const domain = await addProvider(admin, { client_authentication: 'private_key', provider_logout: true });
    const { status, body } = await registrationOf(domain);
    const oidc = 'https://portal.test/api/auth/v7.0/oidc';
    expect([status, body]).toEqual([
      200,
      {
        admission: 'Members of the registered groups can sign in',
        redirect_uris: [`${oidc}/callback`],
        post_logout_redirect_uris: [`${oidc}/signed-out`],
        backchannel_logout_uri: `${oidc}/${domain.id}/backchannel-logout`,
        jwks_uri: `${oidc}/${domain.id}/jwks`,
        scim_uri: `https://portal.test/scim/v2/${domain.id}`,
        keys: [{ id: expect.any(String), created_at: expect.any(String) }],
      },
    ]);
    const serves = async (route: string, form?: string) => {
      const sent = form && { body: form, headers: { 'content-type': 'application/x-www-form-urlencoded' } };
      return (await world.portal.send(route.replace('https://portal.test', ''), sent || {})).status;
    };
    expect(await serves(`GET ${body.jwks_uri}`)).toBe(200);
    // Refused for what the requests lack, and not because nothing is there.
    expect(await serves(`GET ${body.scim_uri}/Users`)).toBe(401);
    expect(await serves(`GET ${body.redirect_uris[0]}`)).toBe(422);
    expect(await serves(`GET ${body.post_logout_redirect_uris[0]}`)).toBeLessThan(404);
    // The provider of this domain does not answer.
    expect(await serves(`POST ${body.backchannel_logout_uri}`, 'logout_token=none')).toBe(503);
    await admin(`POST ${at(domain)}/rotate_key`);
    const { keys } = (await registrationOf(domain)).body;
    expect(keys.map(({ id }: Json) => id)).toEqual([expect.any(String), body.keys[0].id]);
  });

  it('has neither keys nor an address after the log-out that the settings do not use', async () => {
    const domain = await addProvider(admin, { client_secret: secret, provider_logout: false });
    const { body } = await registrationOf(domain);
    expect(body).toMatchObject({ post_logout_redirect_uris: [], jwks_uri: null, keys: [] });
  });

  it('exists for domains with a provider, and is shown to those who may read domains', async () => {
    expect((await registrationOf(world.domain)).status).toBe(404);
    expect((await registrationOf({ id: '0191d6a0-7c1e-7000-8000-000000000001' })).status).toBe(404);
    const domain = await addProvider(admin, { client_secret: secret });
    const [reader, other] = [
      await addMember(world, ['authenticators.read']),
      await addMember(world, ['users.read']),
    ];
    expect((await registrationOf(domain, reader.ask)).status).toBe(200);
    expect((await registrationOf(domain, other.ask)).status).toBe(403);
  });
});

describe('the key of a domain with an identity provider', () => {
  it('is created with the domain, published, and rotated with its predecessor', async () => {
    const domain = await addProvider(admin, { client_authentication: 'private_key' });
    const first = await jwksOf(domain.id);
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'public, max-age=60']);
    const [{ kid, ...jwk }] = first.body.keys;
    expect(Object.keys(jwk).sort()).toEqual(['alg', 'e', 'kty', 'n', 'use']);
    const { result, events } = await audited(world.portal, () => admin(`POST ${at(domain)}/rotate_key`));
    expect([result.status, result.body.id]).toEqual([200, domain.id]);
    const kids = (await jwksOf(domain.id)).body.keys.map((key: Json) => key.kid);
    expect([kids.length, kids[1]]).toEqual([2, kid]);
    expect(events).toMatchObject([{ changes: [{ field: 'client_key', before: kid, after: kids[0] }] }]);
    await admin(`POST ${at(domain)}/rotate_key`);
    const later = (await jwksOf(domain.id)).body.keys.map((key: Json) => key.kid);
    expect([later.length, later[1]]).toEqual([2, kids[0]]);
  });

  it('is created when the settings begin to use it, and stays when others change', async () => {
    const domain = await addProvider(admin, { client_secret: secret });
    expect((await jwksOf(domain.id)).body).toEqual({ keys: [] });
    const refused = await admin(`POST ${at(domain)}/rotate_key`);
    expect([refused.status, refused.body.reason]).toEqual([409, 'no_own_key']);
    const { body } = await admin(`PATCH ${at(domain)}`, { params: { client_authentication: 'private_key' } });
    expect(body.params.client_secret_set).toBe(false);
    const { keys } = (await jwksOf(domain.id)).body;
    expect(keys).toHaveLength(1);
    await admin(`PATCH ${at(domain)}`, { params: { timeout_s: 20 } });
    expect((await jwksOf(domain.id)).body.keys).toEqual(keys);
  });

  it('is not stored readable, and is deleted with its domain', async () => {
    const domain = await addProvider(admin, { client_authentication: 'private_key' });
    const rows = async (): Promise<Json[]> =>
      (
        (await world.portal.ownerDb.execute(
          `select * from client_keys where authenticator_id = '${domain.id}'`,
        )) as unknown as { rows: Json[] }
      ).rows;
    const [row] = await rows();
    expect(JSON.stringify(row)).not.toContain('"d"');
    const place = { table: 'client_keys', row: row.id, column: 'sealed_private_key' };
    expect(JSON.parse(await world.portal.deps.sealer.open(row.sealed_private_key, place)).n).toBe(
      row.public_jwk.n,
    );
    await admin(`DELETE ${at(domain)}`);
    expect(await rows()).toEqual([]);
  });

  it('is published for domains with a provider only, without a session', async () => {
    expect((await jwksOf(world.domain.id)).status).toBe(404);
    expect((await jwksOf('0191d6a0-7c1e-7000-8000-000000000001')).status).toBe(404);
  });

  it('is rotated with the permission to change domains', async () => {
    const domain = await addProvider(admin, { client_authentication: 'private_key' });
    const reader = await addMember(world, ['authenticators.read']);
    expect((await reader.ask(`POST ${at(domain)}/rotate_key`)).status).toBe(403);
    const writer = await addMember(world, ['authenticators.read', 'authenticators.update']);
    expect((await writer.ask(`POST ${at(domain)}/rotate_key`)).status).toBe(200);
  });
});
