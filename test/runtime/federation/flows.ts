import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Authority } from '../../simulator/authority.ts';
import { Browser } from '../../support/federation/browser.ts';
import {
  clientSecret,
  type OpenIdProvider,
  startOpenIdProvider,
} from '../../support/federation/openid-provider.ts';
import { listenOnLoopback, nativeProgramAt, sendConsent } from '../../support/federation/programs.ts';
import type { Answer, Asking, Json } from '../../support/workers/local-workers.ts';

const webui = '/api/webui/aggregator';
const baseUrl = 'https://portal.example';
export const adminPassword = 'correct horse battery staple';

/** A portal in one of the runtimes, with the administrator `admin`. */
export type RuntimeUnderTest = {
  send(route: string, asking?: Asking): Promise<Answer>;
  /** Signs certificates that the runtime trusts. Absent: a domain names the authority of its provider. */
  authority?: Authority;
  stop(): Promise<void>;
};

/** Sign-in at a real provider, a real client program, and provisioning, in one runtime. */
export function describeFederation(name: string, start: () => Promise<RuntimeUnderTest>): void {
  describe(name, () => {
    let portal: RuntimeUnderTest;
    let provider: OpenIdProvider;
    let admin: (route: string, body?: unknown) => Promise<Json>;
    let domain: Json;

    beforeAll(async () => {
      portal = await start();
      const { authority } = portal;
      provider = await startOpenIdProvider({ portalUrl: baseUrl, ...(authority && { authority }) });
      const credentials = { username: 'admin', password: adminPassword, authSmallName: 'builtin' };
      const login = await portal.send('POST /api/auth/v7.0/login', { body: credentials });
      admin = async (route, body) => {
        const answer = await portal.send(route, { token: login.body.token, body });
        if (answer.status >= 300) throw new Error(`${route}: ${JSON.stringify(answer.body)}`);
        return answer.body;
      };
      const trust = authority ? {} : { ca_certificate: provider.caPem };
      const params = { issuer: provider.issuer, client_id: 'aggregator', client_secret: clientSecret };
      domain = await admin(`POST ${webui}/authenticators`, {
        ...{ name: 'company', small_name: 'company', type: 'oidc', params: { ...params, ...trust } },
      });
      await admin(`POST ${webui}/authenticators/${domain.id}/groups`, { name: 'staff' });
    }, 120_000);
    afterAll(async () => {
      await provider?.close();
      await portal?.stop();
    });

    const person = (name: string): Browser => {
      provider.people.set(name, { preferred_username: name, groups: ['staff'] });
      provider.atKeyboard = name;
      return new Browser({ baseUrl, send: portal.send }, () => provider.caPem);
    };
    const me = (token: string) => portal.send('GET /api/userinfo', { token });

    async function signIn(name: string): Promise<{ browser: Browser; token: string }> {
      const browser = person(name);
      const begin = `${baseUrl}/api/auth/v7.0/oidc/${domain.id}/start`;
      const { url } = await browser.follow(begin, (next) => next.endsWith('/home/'));
      expect(new URL(url).pathname).toBe('/home/');
      return { browser, token: (await browser.send('POST /signin/token')).body.token };
    }

    it('signs a person in and out', async () => {
      const { browser, token } = await signIn('anna');
      expect(await me(token)).toMatchObject({ status: 200, body: { name: 'anna' } });
      const ended = await browser.send('POST /api/auth/v7.0/oidc/sign-out');
      expect(new URL(ended.body.location).origin).toBe(provider.issuer);
      expect((await me(token)).status).toBe(401);
    });

    it('signs a program in, which receives its session once', async () => {
      const browser = person('anna');
      const program = await nativeProgramAt({ baseUrl, send: portal.send }, domain.id);
      const listener = await listenOnLoopback();
      const verifier = client.randomPKCECodeVerifier();
      const url = client.buildAuthorizationUrl(program, {
        redirect_uri: listener.redirectUri,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      const sent = await sendConsent(browser, await browser.follow(url.href), 'allow');
      await fetch(sent.headers.get('location') ?? '');
      const answer = await listener.received;
      listener.close();
      const exchange = () => client.authorizationCodeGrant(program, answer, { pkceCodeVerifier: verifier });
      const { access_token } = await exchange();
      expect((await me(access_token)).body.name).toBe('anna');
      await expect(exchange()).rejects.toMatchObject({ error: 'invalid_grant' });
      expect((await me(access_token)).status).toBe(401);
    });

    it('is refused an answer that was not asked for', async () => {
      const answer = await portal.send('GET /api/auth/v7.0/oidc/callback?state=unknown&code=x');
      expect([answer.status, answer.body.code]).toEqual([401, 'login_expired']);
    });

    it('provisions users and groups by SCIM, and ends the session of a deactivated person', async () => {
      const scim = await scimOf(portal, admin, domain);
      const { token } = await signIn('dora');
      const found = await scim(`GET /Users?filter=${encodeURIComponent('userName eq "dora"')}`);
      expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ userName: 'dora', active: true }] });
      const [{ id }] = found.body.Resources;
      const made = await scim('POST /Users', { schemas: [userSchema], userName: 'emil', externalId: 'e-1' });
      expect(made).toMatchObject({ status: 201, body: { userName: 'emil', externalId: 'e-1' } });
      const members = [{ value: id }, { value: made.body.id }];
      const group = await scim('POST /Groups', { schemas: [groupSchema], displayName: 'Crew', members });
      expect(group.status).toBe(201);
      await scim(`PATCH /Groups/${group.body.id}`, patch('remove', `members[value eq "${id}"]`));
      const left = await scim(`GET /Groups/${group.body.id}`);
      expect(left.body.members.map(({ value }: Json) => value)).toEqual([made.body.id]);
      expect((await me(token)).status).toBe(200);
      const ended = await scim(`PATCH /Users/${id}`, patch('Replace', 'active', 'False'));
      expect(ended.body.active).toBe(false);
      expect((await me(token)).status).toBe(401);
      expect((await scim('DELETE /Users/not-there')).status).toBe(404);
    });
  });
}

const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** As Entra sends it: operations with capitals, and texts for booleans. */
const patch = (op: string, path: string, value?: string) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op, path, ...(value !== undefined && { value }) }],
});

/** Requests with a token for provisioning of the domain, as an administrator creates it. */
async function scimOf(
  portal: RuntimeUnderTest,
  admin: (route: string, body?: unknown) => Promise<Json>,
  domain: Json,
): Promise<(route: string, body?: unknown) => Promise<Answer>> {
  const permissions = ['scim.provision'];
  const role = await admin(`POST ${webui}/rbac`, { name: 'provisioning', permissions });
  const users = `${webui}/authenticators/${domain.id}/users`;
  const service = await admin(`POST ${users}`, {
    ...{ name: 'scim', kind: 'service', password: null, roles: [role.id] },
  });
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  const { token } = await admin(`POST ${users}/${service.id}/tokens`, {
    name: 'scim',
    expires_at,
    permissions,
  });
  return (route, body) => {
    const [method, path = ''] = route.split(/ (.*)/);
    const type = body === undefined ? {} : { 'content-type': 'application/scim+json' };
    return portal.send(`${method} /scim/v2/${domain.id}${path}`, {
      ...{ body, headers: { ...type, authorization: `Bearer ${token}` } },
    });
  };
}
