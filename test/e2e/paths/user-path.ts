import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Answer, Json } from '../support/api.ts';
import { auth, client, user, webui } from '../support/installation.ts';
import type { World } from '../twins/world.ts';

const nextPassword = 'eight white swans on a lake';

/** Login, account and services: the operations of users. */
export function describeUserPath(use: () => World): void {
  describeAccount(use);
  describeServices(use);
  describePasswordChange(use);
}

function describeAccount(use: () => World): void {
  describe('a user account', () => {
    it('starts with the list of domains, by priority and name', async () => {
      const { status, headers, body } = await use().stand.api.send(`GET ${auth}/authenticators`);
      expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
      expect(body.map(({ authSmallName }: Json) => authSmallName)).toEqual(['builtin', 'corp']);
    });

    it('logs in with any name of the domain, and with the right password only', async () => {
      const { stand, installed } = use();
      const names = [
        { authSmallName: 'CORP' },
        { auth: 'corporation' },
        { authId: installed.domain.id, auth: 'Corporation' },
      ];
      for (const domain of names) {
        const body = { username: 'Ada', password: user.password, ...domain };
        expect(await stand.api.send(`POST ${auth}/login`, { body })).toMatchObject({
          status: 200,
          body: {
            result: 'ok',
            version: '7.0',
            token: expect.stringMatching(/^[\w-]{43}$/),
            user: { id: installed.user.id, portal: 'user', domain: 'corp' },
          },
        });
      }
      const wrong = { username: 'ada', password: 'wrong wrong wrong', authSmallName: 'corp' };
      expect(await stand.api.send(`POST ${auth}/login/2fa`, { body: wrong })).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Token realm="aggregator"' },
        body: { code: 'invalid_credentials' },
      });
    });

    it('reads the settings, the modules, its own data and its address', async () => {
      const { admin, installed } = use();
      expect(await admin(`GET ${auth}/settings`)).toMatchObject({
        status: 200,
        body: { version: '7.0', portal_type: 'universal', password_policy: { min_length: 15 } },
      });
      const discovered = await admin('GET /api/discover/');
      expect(discovered).toMatchObject({ status: 200, body: { version: '7.0' } });
      expect(discovered.body.sites.map(({ uri }: Json) => uri)).toContain(installed.site.uri);
      expect(discovered.body.modules.map(({ name }: Json) => name)).toContain('client');
      expect(await admin('GET /api/userinfo')).toMatchObject({
        status: 200,
        body: {
          name: 'admin',
          portal: 'admin',
          ip: '127.0.0.1',
          scope: { sites: '*' },
          permissions: expect.arrayContaining(['sites.create']),
        },
      });
    });

    it('has access to the public half of the signing key only', async () => {
      const { status, body } = await use().stand.api.send(`GET ${auth}/jwks`);
      expect(status).toBe(200);
      expect(body.keys).toMatchObject([{ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' }]);
      expect(Object.keys(body.keys[0])).not.toContain('d');
    });

    it('ends with the logout, which invalidates the token', async () => {
      const { api } = use().stand;
      const token = await api.login(user.name, user.password, 'corp');
      expect(await api.send(`POST ${auth}/logout`, { token })).toMatchObject({
        status: 200,
        body: { result: 'ok' },
      });
      expect(await api.send('GET /api/userinfo', { token })).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Token realm="aggregator"' },
        body: { code: 'invalid_token' },
      });
      expect((await api.send(`POST ${auth}/logout`, { token })).status).toBe(401);
    });
  });
}

function describeServices(use: () => World): void {
  describe('the services of a site', () => {
    let token: string;
    let services: Json[];
    const asUser = (route: string, asking = {}): Promise<Answer> =>
      use().stand.api.send(route, { token, ...asking });
    /** The calls to the dispatcher for a request. */
    const callsOf = (requestId: string): string[] =>
      use()
        .stand.node.calls.filter(({ headers }) => headers['x-request-id'] === requestId)
        .map(({ path }) => path);
    const linkOf = (name: string): string => services.find((service) => service.name === name)?.link;

    beforeAll(async () => {
      token = await use().stand.api.login(user.name, user.password, 'corp');
      services = (await asUser(`GET ${client}/north/servicesList/`)).body.services;
    });

    it('come from a dispatcher that has authorised the portal', async () => {
      const { admin, installed } = use();
      const body = { dispatcher_id: installed.dispatcher.id };
      const headers = { 'x-request-id': 'authorize' };
      expect(await admin(`POST ${auth}/jwtauth`, { body, headers })).toMatchObject({
        status: 200,
        headers: { 'x-request-id': 'authorize' },
        body: { result: 'ok', dispatcher_id: installed.dispatcher.id, expires_in: 600 },
      });
      expect(callsOf('authorize')).toEqual([expect.stringContaining('/jwtauth')]);
    });

    it('are those with an entitlement of the user, by name', async () => {
      const { status, body } = await asUser(`GET ${client}/north/servicesList`);
      expect(status).toBe(200);
      expect(body.sites).toMatchObject([{ site_uri: 'north', farm_name: 'North farm', status: 'ok' }]);
      expect(body.domains.filter(({ linked }: Json) => linked)).toMatchObject([{ authSmallName: 'corp' }]);
      expect(body.services).toMatchObject([
        { name: 'Office', protocols: ['rdp'], state: 'ready' },
        { name: 'Workshop', protocols: ['spice'] },
      ]);
      expect(await asUser(`GET ${client}/elsewhere/servicesList/`)).toMatchObject({ status: 404 });
    });

    it('are checked without effect, with the reason when they are not ready', async () => {
      const judge = (name: string) =>
        asUser(`GET ${linkOf(name).replace('connectionInfo', 'preconnectionInfo')}`);
      expect(await judge('Office')).toMatchObject({
        status: 200,
        body: { verdict: 'connect', ready: true, protocol: 'rdp' },
      });
      expect(use().stand.node.state.sessions.all()).toEqual([]);
      const wait = await judge('Workshop');
      expect(wait).toMatchObject({ status: 200, body: { verdict: 'wait', percent: 40 } });
      expect(Number(wait.headers['retry-after'])).toBeGreaterThan(0);
      expect(await asUser(`GET ${linkOf('Workshop')}`)).toMatchObject({
        status: 409,
        headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
        body: { code: 'service_in_preparation', retryable: true },
      });
    });

    it('return a connection, and the dispatcher receives user, address and request id', async () => {
      const connection = await asUser(`GET ${linkOf('Office')}?protocol=rdp`, {
        headers: { 'x-request-id': 'first-connection' },
      });
      expect(connection).toMatchObject({
        status: 200,
        headers: { 'x-request-id': 'first-connection', 'cache-control': 'private, no-store' },
        body: { protocol: 'rdp', port: 3389, username: 'ada', expires_in: 60 },
      });
      const { session_uuid } = connection.body;
      expect(use().stand.node.state.sessions.all()).toMatchObject([
        { session_uuid, person: { domain: 'CORP', name: 'ada' }, client_ip: '127.0.0.1' },
      ]);
      expect(callsOf('first-connection')).toEqual([expect.stringContaining('/connectionInfo/')]);
      const reconnected = await asUser(`POST ${client}/north/reconnect/`, { body: { session_uuid } });
      expect(reconnected).toMatchObject({ status: 200, body: { session_uuid, link: expect.any(String) } });
    });

    it('refuse an unknown service and an unknown session', async () => {
      const unknown = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';
      const { farm } = use().installed;
      for (const id of [`${farm.id}.${unknown}`, `${unknown}.${unknown}`, 'nothing'])
        expect(await asUser(`GET ${client}/north/connectionInfo/${id}`)).toMatchObject({ status: 404 });
      expect(
        await asUser(`POST ${client}/north/reconnect/`, { body: { session_uuid: unknown } }),
      ).toMatchObject({ status: 404, body: { code: 'not_found' } });
    });

    it('of a farm that is down are the last known ones, and the farm is named', async () => {
      const { knobs } = use().stand.node;
      const list = () => asUser(`GET ${client}/north/servicesList/`);
      // The list of a farm is outdated by a connection. It is void if the sidecar finds a change of the farm meanwhile.
      const answer = await vi.waitFor(async () => {
        await list();
        await asUser(`GET ${linkOf('Office')}?protocol=rdp`);
        knobs.failing = 500;
        const outdated = await list();
        knobs.failing = null;
        expect(outdated).toMatchObject({
          status: 200,
          body: { sites: [{ farm_name: 'North farm', status: 'stale' }] },
        });
        return outdated;
      }, 15_000);
      expect(answer.body.services).not.toEqual([]);
    });
  });
}

function describePasswordChange(use: () => World): void {
  describe('a user who changes their password', () => {
    it('keeps the current session only, and logs in with the new password only', async () => {
      const { stand, admin, installed } = use();
      const { name, password } = { name: 'grace', password: 'nine grey herons by the river' };
      await admin(`POST ${webui}/authenticators/${installed.domain.id}/users`, { body: { name, password } });
      const [token, other] = [
        await stand.api.login(name, password, 'corp'),
        await stand.api.login(name, password, 'corp'),
      ];
      const change = (body: object) => stand.api.send('PUT /api/userinfo/password', { token, body });
      const statusOf = async (session: string) =>
        (await stand.api.send('GET /api/userinfo', { token: session })).status;
      expect(await change({ current: password, new: 'short' })).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: '/new', code: 'too_short' }] },
      });
      expect(await change({ current: 'wrong wrong wrong', new: nextPassword })).toMatchObject({
        status: 401,
      });
      expect(await change({ current: password, new: nextPassword })).toMatchObject({ status: 204, body: '' });
      expect([await statusOf(token), await statusOf(other)]).toEqual([200, 401]);
      await expect(stand.api.login(name, password, 'corp')).rejects.toThrow('invalid_credentials');
      await stand.api.login(name, nextPassword, 'corp');
    });
  });
}
