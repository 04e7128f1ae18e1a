import { beforeAll, describe, expect, it } from 'vitest';
import { scimOperations } from '../../../../functions/federation/scim/routes.ts';
import { permissions } from '../../../../shared/context/permissions.ts';
import { newId } from '../../../../shared/kernel/ids.ts';
import { addDomain, addMember, domainsPath, unique, useWorld } from '../../../support/factories.ts';
import {
  addProviderDomain,
  addScimUser,
  type ScimClient,
  startScim,
} from '../../../support/identity/scim.ts';
import {
  addServiceToken,
  addServiceUser,
  serviceTokenBody,
  serviceTokensPath,
} from '../../../support/identity/service-tokens.ts';

const world = useWorld();
let scim: ScimClient;
let other: ScimClient;
beforeAll(async () => {
  scim = await startScim(world);
  other = await startScim(world);
});

const operations = scimOperations.map(({ id, method, path, body }) => ({
  id,
  route: `${method} ${path.replace('/scim/v2/{auth_uuid}', '').replace('{id}', newId()).replace('{name}', 'User')}`,
  // Valid for each of them, so that only the domain can be refused.
  body: body && { Operations: [{ op: 'add', method: 'POST', path: '/Users' }] },
}));

describe('a refused body', () => {
  it('is described with the place of the fault, and a missing one without a place', async () => {
    const wrong = await scim.ask('POST /Users', { schemas: 'urn:one', userName: 'ada' });
    expect([wrong.status, wrong.body.detail]).toEqual([400, expect.stringMatching(/^\/schemas .+/)]);
    const none = await scim.ask('POST /Users');
    expect([none.status, none.body.detail]).toEqual([400, 'A request body is required']);
  });
});

describe('the access to SCIM', () => {
  it.each(operations)('$id needs a token for provisioning of the domain', async ({ route, body }) => {
    const admin = await world.portal.login();
    const { user } = await addServiceUser(world, ['users.read']);
    const { made } = await addServiceToken(world, user, { permissions: ['users.read'] });
    const expected = [
      [undefined, 401],
      ['x', 401],
      [`agst_${'A'.repeat(43)}`, 401],
      [admin, 403],
      [made.token, 403],
      [other.token, 404],
    ] as const;
    for (const [token, status] of expected) {
      const refused = await scim.as(token)(route, body);
      expect([token, refused.status]).toEqual([token, status]);
      expect(refused.headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
      expect(refused.body).toMatchObject({
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: String(status),
      });
      expect(refused.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer realm="scim"' : null);
    }
  });

  it('is not given by the header of other tokens', async () => {
    const refused = await scim.as(undefined)('GET /Users', undefined, { 'x-auth-token': scim.token });
    expect(refused.status).toBe(401);
  });

  it('does not reach users and groups of another domain', async () => {
    const user = await addScimUser(other);
    for (const route of [`GET /Users/${user.id}`, `DELETE /Users/${user.id}`])
      expect((await scim.ask(route)).status).toBe(404);
    expect(
      (await scim.ask('PUT /Groups/00000000-0000-0000-0000-000000000000', { displayName: 'x' })).status,
    ).toBe(404);
  });

  it('is answered in the form of SCIM for unknown paths and methods', async () => {
    for (const [route, status] of [
      ['GET /Nothing', 404],
      ['DELETE /Users', 405],
      ['GET /Users/x', 404],
    ] as const) {
      const refused = await scim.ask(route);
      expect([route, refused.status, refused.body.status]).toEqual([route, status, String(status)]);
    }
  });

  it('has no resource of the caller', async () => {
    for (const route of ['GET /Me', 'PATCH /Me', 'DELETE /Me']) {
      const { status, body } = await scim.ask(route);
      expect([status, body]).toEqual([
        501,
        {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
          ...{ status: '501', detail: 'The address Me is not supported' },
        },
      ]);
    }
  });

  it('is limited to bodies of 4 MiB, of a media type of SCIM', async () => {
    const large = await scim.ask('POST /Users', `{"userName":"${'a'.repeat(4 * 1_024 * 1_024)}"}`);
    expect(large.status).toBe(413);
    const many = JSON.stringify({ displayName: unique('g'), members: Array(200_001).fill(1) });
    expect((await scim.ask('POST /Groups', many)).status).toBe(400);
    const typed = await scim.ask('POST /Users', '{}', { 'content-type': 'application/merge-patch+json' });
    expect([typed.status, typed.body.status]).toEqual([415, '415']);
    const plain = await scim.ask(
      'POST /Users',
      { userName: unique('json') },
      { 'content-type': 'application/json; charset=utf-8' },
    );
    expect(plain.status).toBe(201);
  });
});

describe('a token for provisioning', () => {
  it('is valid for SCIM alone', async () => {
    for (const route of ['GET /api/userinfo', `GET ${domainsPath}`, 'GET /api/webui/aggregator/sites']) {
      const refused = await world.portal.send(route, { token: scim.token });
      expect([route, refused.status]).toEqual([route, 403]);
    }
  });

  it('is valid on a portal for users as well', async () => {
    const send = world.portal.isolate('user');
    const answer = await send(`GET /scim/v2/${scim.domain.id}/Users`, {
      headers: { authorization: `Bearer ${scim.token}` },
    });
    expect(answer.status).toBe(200);
  });

  it('has no other permission, and belongs to a domain of an identity provider', async () => {
    const domain = await addProviderDomain(world);
    const { user } = await addServiceUser({ admin: world.admin, domain }, ['scim.provision', 'sites.read']);
    const create = (given: object) =>
      world.admin(`POST ${serviceTokensPath(domain, user)}`, serviceTokenBody(world.portal, given));
    expect((await create({ permissions: ['scim.provision', 'sites.read'] })).body).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/permissions', code: 'not_alone' }],
    });
    const internal = await addDomain(world.admin);
    const { user: service } = await addServiceUser({ admin: world.admin, domain: internal }, [
      'scim.provision',
    ]);
    const refused = await world.admin(
      `POST ${serviceTokensPath(internal, service)}`,
      serviceTokenBody(world.portal, { permissions: ['scim.provision'] }),
    );
    expect(refused.body).toMatchObject({ code: 'invalid_state', reason: 'no_provisioning' });
  });

  it('is created only by an administrator with every permission for all sites', async () => {
    const domain = await addProviderDomain(world);
    const { user } = await addServiceUser({ admin: world.admin, domain }, ['scim.provision']);
    const held = permissions.filter((permission) => permission !== 'webhooks.delete');
    const { ask } = await addMember(world, held);
    const refused = await ask(
      `POST ${serviceTokensPath(domain, user)}`,
      serviceTokenBody(world.portal, { permissions: ['scim.provision'] }),
    );
    expect(refused.body).toMatchObject({ code: 'forbidden', missing: ['webhooks.delete'] });
  });

  it('ends with its user, with the domain and by revocation', async () => {
    const ended = await startScim(world);
    expect((await ended.ask('GET /Users')).status).toBe(200);
    await world.admin(`PATCH ${domainsPath}/${ended.domain.id}`, { state: 'disabled' });
    expect((await ended.ask('GET /Users')).status).toBe(401);
  });
});
