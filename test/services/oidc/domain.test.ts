import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findDomain } from '../../../db/repositories/identity/authenticators.ts';
import { storedClient } from '../../../shared/identity/domains/oidc/client.ts';
import { createOidcRemote } from '../../../shared/remotes/oidc/remote.ts';
import {
  addMember,
  addProvider,
  addSite,
  adminOf,
  audited,
  domainsPath,
  providerBody,
  useWorld,
} from '../../support/factories.ts';
import { startForger } from '../../support/oidc/forger.ts';
import { callback, secret, startProvider, type TestProvider } from '../../support/oidc/provider.ts';
import { newRequest } from '../../support/oidc/registration.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld({ allowedNetworks: ['127.0.0.0/8', '::1'] });
const admin = adminOf(world);
let provider: TestProvider;
beforeAll(async () => {
  provider = await startProvider();
  provider.people.set('anna', { preferred_username: 'anna', groups: ['g-1'] });
});
afterAll(() => provider.close());

const params = (given: Json = {}): Json => ({
  issuer: provider.issuer,
  client_id: 'ask',
  client_secret: secret,
  ca_certificate: provider.ca,
  ...given,
});
const test = async (body: Json): Promise<Json> => (await admin(`POST ${domainsPath}/test/oidc`, body)).body;
const detailOf = ({ checks }: Json, name: string): string[] =>
  checks.flatMap((check: Json) => (check.name === name ? [`${check.status}: ${check.detail}`] : []));

describe('the test of a domain with an identity provider', () => {
  it('reads configuration and keys, and authenticates, without storing anything', async () => {
    const { result, events } = await audited(world.portal, () => test(providerBody(params())));
    expect([result.success, result.message]).toEqual([true, 'The domain works']);
    expect(result.checks.map(({ name, status }: Json) => [name, status])).toEqual([
      ...['fields', 'params', 'addresses', 'subject', 'tenants', 'account'].map((name) => [name, 'pass']),
      ...['connection', 'keys', 'endpoints', 'authentication', 'redirect', 'admission'].map((name) => [
        name,
        'pass',
      ]),
    ]);
    expect(detailOf(result, 'connection')).toEqual([`pass: The provider responds: ${provider.issuer}`]);
    expect(detailOf(result, 'endpoints')[0]).toContain('requests are pushed; answers name the issuer');
    expect(detailOf(result, 'redirect')[0]).toContain(new URL(callback).pathname);
    expect(events).toEqual([]);
  });

  it('reports a wrong secret, and skips the rest', async () => {
    const result = await test(providerBody(params({ client_secret: 'wrong' })));
    expect(result.success).toBe(false);
    expect(detailOf(result, 'authentication')).toEqual([
      'fail: The provider rejects the portal: invalid_client',
    ]);
    expect(detailOf(result, 'redirect')).toEqual(['skipped: An earlier step failed']);
  });

  it('reports an unknown authority and another issuer', async () => {
    const untrusted = await test(providerBody(params({ ca_certificate: null })));
    expect(detailOf(untrusted, 'connection')[0]).toMatch(/^fail: No identity provider .*: tls:/);
    const other = await test(providerBody(params({ issuer: `${provider.issuer}/other` })));
    expect(detailOf(other, 'connection')[0]).toMatch(/^fail: /);
  });

  it('does not show how a silent address differs from a closed port', async () => {
    const start = performance.now();
    const result = await test(providerBody(params({ issuer: 'https://127.0.0.1:9', timeout_s: 1 })));
    expect(detailOf(result, 'connection')).toEqual(['fail: No identity provider responds at this address']);
    expect(performance.now() - start).toBeGreaterThan(950);
  });

  it('uses the stored secret, and reports a missing one', async () => {
    const domain = await addProvider(admin, params());
    const stored = await test({ ...domain, params: { ...domain.params, client_secret: null } });
    expect(stored.success).toBe(true);
    const without = await test(providerBody(params({ client_secret: null })));
    expect(detailOf(without, 'account')[0]).toMatch(/^fail: \/params\/client_secret/);
  });

  it('signs nothing with the stored key for another destination', async () => {
    const stored = await addProvider(
      admin,
      params({ client_secret: null, client_authentication: 'private_key' }),
    );
    const thief = await startForger();
    thief.metadata.issuer = provider.issuer;
    thief.metadata.token_endpoint_auth_methods_supported = ['private_key_jwt'];
    const site = await addSite(admin);
    const tester = await addMember(world, ['authenticators.read', 'authenticators.test'], [site.id]);
    const elsewhere = { discovery_url: `${thief.issuer}/.well-known/x`, ca_certificate: thief.ca };
    const { body } = await tester.ask(`POST ${domainsPath}/test/oidc`, {
      id: stored.id,
      params: { ...stored.params, ...elsewhere },
    });
    expect(detailOf(body, 'authentication')).toEqual([
      'skipped: The portal authenticates with its key after the domain is saved',
    ]);
    expect([thief.count('discovery'), thief.count('token')]).toEqual([1, 0]);
    await thief.close();
  });

  it('is in Russian for a Russian caller', async () => {
    const { body } = await admin(`POST ${domainsPath}/test/oidc`, providerBody(params()), {
      'accept-language': 'ru',
    });
    expect(detailOf(body, 'connection')[0]).toMatch(/^pass: Провайдер отвечает/);
  });
});

describe('a stored domain with an identity provider', () => {
  const remote = () => createOidcRemote({ transport: world.portal.deps.transport });
  const clientOf = async (id: string) => {
    const domain = await findDomain(world.portal.db, id);
    if (!domain) throw new Error('no domain');
    return storedClient({ db: world.portal.db, sealer: world.portal.deps.sealer }, domain);
  };

  it('gives a client that logs people in', async () => {
    const { id } = await addProvider(
      admin,
      params({ scopes: ['openid', 'profile', 'email', 'offline_access'] }),
    );
    const client = await clientOf(id);
    expect(client.scopes).toContain('offline_access');
    const request = newRequest();
    const url = await remote().authorizationUrl(client, { ...request, redirectUri: callback });
    const returned = new URL(await provider.browser().open(url, callback)).searchParams;
    const exchange = { ...request, redirectUri: callback, callback: returned };
    expect(await remote().exchange(client, exchange)).toMatchObject({ subject: 'anna', groups: ['g-1'] });
  });

  it('authenticates with its key as it is published', async () => {
    const { id } = await addProvider(
      admin,
      params({ client_secret: null, client_authentication: 'private_key' }),
    );
    const jwks = (await world.portal.send(`GET /api/auth/v7.0/oidc/${id}/jwks`)).body;
    const other = await startProvider({
      clients: [
        { client_id: 'ask', redirect_uris: [callback], token_endpoint_auth_method: 'private_key_jwt', jwks },
      ],
    });
    other.people.set('anna', { preferred_username: 'anna' });
    await admin(`PATCH ${domainsPath}/${id}`, { params: { issuer: other.issuer, ca_certificate: other.ca } });
    const client = await clientOf(id);
    const request = newRequest();
    const url = await remote().authorizationUrl(client, { ...request, redirectUri: callback });
    const returned = new URL(await other.browser().open(url, callback)).searchParams;
    const exchange = { ...request, redirectUri: callback, callback: returned };
    expect((await remote().exchange(client, exchange)).subject).toBe('anna');
    await other.close();
  });

  it('refuses without a secret instead of authenticating without one', async () => {
    const { id } = await addProvider(admin, params({ client_secret: null }));
    await expect(clientOf(id)).rejects.toMatchObject({ reason: 'not_configured' });
  });
});
