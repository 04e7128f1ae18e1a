import { expect, it } from 'vitest';
import {
  addGroup,
  create,
  domainBody,
  domainsPath,
  startWorld,
  usersPath,
  useStand,
} from '../../support/factories.ts';
import { Browser } from '../../support/federation/browser.ts';
import { checksOf } from '../../support/federation/checks.ts';
import { type GlewlwydPerson, hasGlewlwyd, startGlewlwyd } from '../../support/federation/glewlwyd.ts';
import { requireService } from '../../support/services.ts';

const ada: GlewlwydPerson = {
  username: 'ada',
  password: 'correct horse battery staple',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  groups: ['engineers', 'authors'],
};

requireService('glewlwyd', hasGlewlwyd)('a sign-in at Glewlwyd', () => {
  const stand = useStand(async () => {
    const world = await startWorld();
    const { baseUrl } = world.portal.deps;
    const provider = await startGlewlwyd(`${baseUrl}/api/auth/v7.0/oidc`);
    await provider.addPerson(ada);
    const { id: client_id, secret: client_secret } = provider.client;
    const params = {
      ...{ issuer: provider.issuer, client_id, client_secret, ca_certificate: provider.caPem },
      groups_claim: 'groups',
    };
    const domain = await create(world.admin, domainsPath, domainBody({ type: 'oidc', params }));
    const group = await addGroup(world.admin, domain, { name: 'engineers' });
    return {
      ...{ world, provider, domain, group, baseUrl },
      close: async () => {
        await provider.stop();
        await world.portal.close();
      },
    };
  });

  /** Opens the portal, logs in at the provider and returns with its answer. */
  async function signIn() {
    const { world, provider, domain, baseUrl } = stand;
    const browser = new Browser({ baseUrl, send: world.portal.send }, () => provider.caPem);
    const { headers } = await browser.open(`${baseUrl}/api/auth/v7.0/oidc/${domain.id}/start`);
    const answer = await provider.signIn(headers.get('location') ?? '', ada);
    return { browser, answer, seen: await browser.follow(answer) };
  }

  it('creates the person with the groups of the provider, and finds them again', async () => {
    const { world, domain, group } = stand;
    const first = await signIn();
    expect(new URL(first.seen.url).pathname).toBe('/home/');
    const { items } = (await world.admin(`GET ${usersPath(domain)}`)).body;
    expect(items).toMatchObject([{ name: 'ada', real_name: 'Ada Lovelace' }]);
    const user = await world.admin(`GET ${usersPath(domain)}/${items[0].id}`);
    expect(user.body.groups).toEqual([group.id]);
    expect(new URL((await signIn()).seen.url).pathname).toBe('/home/');
    expect((await world.admin(`GET ${usersPath(domain)}`)).body.items).toHaveLength(1);
  });

  it('accepts each answer once', async () => {
    const { browser, answer } = await signIn();
    expect((await browser.open(answer)).status).toBeGreaterThanOrEqual(400);
  });

  it('is checked regularly: groups follow the provider, and without one the session ends', async () => {
    const { world, provider, domain } = stand;
    const other = await addGroup(world.admin, domain, { name: 'authors' });
    await world.admin(`PATCH ${domainsPath}/${domain.id}`, { params: { recheck: true } });
    const { browser } = await signIn();
    const { token } = (await browser.send('POST /signin/token')).body;
    const check = checksOf(world.portal);
    await provider.setPerson({ ...ada, groups: ['authors'] });
    await check();
    const { items } = (await world.admin(`GET ${usersPath(domain)}`)).body;
    const { body } = await world.admin(`GET ${usersPath(domain)}/${items[0].id}`);
    expect(body.groups).toEqual([other.id]);
    expect((await world.portal.send('GET /api/userinfo', { token })).status).toBe(200);
    await provider.setPerson({ ...ada, groups: ['visitors'] });
    await check();
    expect((await world.portal.send('GET /api/userinfo', { token })).status).toBe(401);
    const former = await world.admin(`GET ${usersPath(domain)}/${items[0].id}`);
    expect(former.body.groups).toEqual([]);
    await provider.setPerson(ada);
  });

  it('ends at the provider as well, which leads back to the sign-in page', async () => {
    const { provider, baseUrl } = stand;
    const { browser } = await signIn();
    const { body } = await browser.send('POST /api/auth/v7.0/oidc/sign-out');
    const left = new URL(body.location);
    expect(left.href.startsWith(new URL(provider.issuer).origin)).toBe(true);
    expect(left.searchParams.get('post_logout_redirect_uri')).toBe(
      `${baseUrl}/api/auth/v7.0/oidc/signed-out`,
    );
    const shown = await browser.open(left.href);
    expect([200, 302]).toContain(shown.status);
    expect(new URL(shown.headers.get('location') ?? left.href).origin).toBe(new URL(provider.issuer).origin);
    expect((await browser.send('POST /signin/token')).status).toBe(401);
  });
});
