import { describe, expect, it } from 'vitest';
import type { Answer, Asking } from '../support/api.ts';
import { auth, client, user, webui } from '../support/installation.ts';
import type { World } from '../twins/world.ts';

const unknown = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';
const json = { 'content-type': 'application/json' };

type Refused = [why: string, route: string, asking: Asking, status: number, code: string, more?: object];

/** Refusals of an administrator; without the token the only answer is 401. */
const refusals: Refused[] = [
  ['an address where nothing is', 'GET /api/nothing', {}, 404, 'not_found'],
  ['a module that has no such path', `GET ${auth}/nothing`, {}, 404, 'not_found'],
  ['an object that is not there', `GET ${webui}/sites/${unknown}`, {}, 404, 'not_found'],
  ['an identifier that is none', `GET ${webui}/sites/north`, {}, 404, 'not_found'],
  ['another method', `PUT ${webui}/sites`, {}, 405, 'method_not_allowed'],
  [
    'another media type',
    `POST ${webui}/sites`,
    { body: 'name=x', headers: { 'content-type': 'text/plain' } },
    415,
    'unsupported_media_type',
  ],
  ['what is no JSON', `POST ${webui}/sites`, { body: '{"name":', headers: json }, 400, 'malformed_json'],
  ['a member twice', `POST ${webui}/sites`, { body: '{"name":"a","name":"b"}' }, 400, 'malformed_json'],
  ['a cursor of nobody', `GET ${webui}/sites?cursor=made-up`, {}, 400, 'malformed_cursor'],
  ['no body', `POST ${webui}/sites`, {}, 422, 'invalid_request', { errors: [{ code: 'required' }] }],
  [
    'what is missing, wrong and unknown, all at once',
    `POST ${webui}/sites`,
    { body: { uri: 'NORTH', colour: 'red' } },
    422,
    'invalid_request',
    {
      errors: expect.arrayContaining([
        expect.objectContaining({ pointer: '/name', code: 'required' }),
        expect.objectContaining({ pointer: '/uri' }),
        expect.objectContaining({ pointer: '/colour', code: 'unknown' }),
      ]),
    },
  ],
  [
    'a query that it does not know',
    `GET ${webui}/sites?limit=0&colour=red`,
    {},
    422,
    'invalid_request',
    {
      errors: expect.arrayContaining([
        expect.objectContaining({ pointer: '?limit' }),
        expect.objectContaining({ pointer: '?colour' }),
      ]),
    },
  ],
  [
    'a body that is too large',
    `POST ${webui}/sites`,
    { body: { name: 'x'.repeat(1_048_577) } },
    413,
    'body_too_large',
  ],
];

/** Every refusal is a problem document with a link to a page about it. */
export function describeRefusals(use: () => World): void {
  describe('a refused request', () => {
    const expectProblem = (
      { status, headers, body }: Answer,
      expectedStatus: number,
      code: string,
      more: object = {},
    ): void => {
      expect({ status, body }).toMatchObject({
        status: expectedStatus,
        body: {
          status: expectedStatus,
          code,
          type: `/api/errors/${code}`,
          title: expect.any(String),
          detail: expect.any(String),
          retryable: false,
          instance: headers['x-request-id'],
          ...more,
        },
      });
      expect(headers).toMatchObject({
        'content-type': 'application/problem+json; charset=utf-8',
        'cache-control': 'private, no-store',
        'x-content-type-options': 'nosniff',
      });
    };

    it.each(refusals)('is answered for %s', async (_, route, asking, status, code, more) => {
      expectProblem(await use().admin(route, asking), status, code, more);
    });

    it.each([
      'GET /api/userinfo',
      'GET /api/discover',
      `GET ${webui}/sites/${unknown}`,
      `POST ${webui}/sites`,
      `POST ${auth}/jwtauth`,
      `GET ${client}/north/servicesList/`,
    ])('contains nothing else without a session: %s', async (route) => {
      const { api } = use().stand;
      const [stranger, forger] = [await api.send(route), await api.send(route, { token: 'made-up' })];
      expectProblem(stranger, 401, 'unauthenticated');
      expectProblem(forger, 401, 'invalid_token');
      expect(stranger.headers['www-authenticate']).toBe('Token realm="aggregator"');
    });

    it('names the missing permission before the body is validated', async () => {
      const { api } = use().stand;
      const token = await api.login(user.name, user.password, 'corp');
      const refused = await api.send(`POST ${webui}/sites`, { token, body: '{' });
      expectProblem(refused, 403, 'forbidden', { required_permission: 'sites.create' });
    });

    it.each([
      'not_found',
      'forbidden',
      'precondition_failed',
    ])('%s has a page and a JSON form', async (code) => {
      const ask = (accept: string) =>
        use().stand.api.send(`GET /api/errors/${code}`, { headers: { accept } });
      expect(await ask('application/json')).toMatchObject({
        status: 200,
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'cache-control': 'public, max-age=3600',
        },
        body: { code, meaning: expect.any(String), remedy: expect.any(String) },
      });
      const page = await ask('text/html');
      expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
      expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'/);
      expect(page.body).toMatch(/^<!doctype html>/);
      expect(page.body).toContain(`<code>${code}</code>`);
    });
  });

  describe('the HTTP methods', () => {
    it('HEAD answers like GET, without the body', async () => {
      const { admin, installed } = use();
      for (const path of [`${webui}/sites/${installed.site.id}`, '/api/userinfo', '/api/errors/not_found']) {
        const [head, get] = [await admin(`HEAD ${path}`), await admin(`GET ${path}`)];
        expect([head.status, head.body, head.headers.etag]).toEqual([200, '', get.headers.etag]);
        expect(head.headers['content-type']).toBe(get.headers['content-type']);
      }
      expect((await admin(`HEAD ${webui}/sites/${unknown}`)).status).toBe(404);
    });

    it('OPTIONS and 405 list the methods of a path', async () => {
      const { api } = use().stand;
      const options = await api.send(`OPTIONS ${webui}/sites`);
      expect(options).toMatchObject({
        status: 204,
        headers: { allow: 'GET, POST, HEAD, OPTIONS' },
        body: '',
      });
      expect((await api.send(`PUT ${webui}/sites`)).headers.allow).toBe(options.headers.allow);
      expect((await api.send('OPTIONS /api/nothing')).status).toBe(404);
    });

    it('a trailing slash has no effect, and similar paths are 404', async () => {
      const { api } = use().stand;
      expect(await api.send('GET /livez/')).toMatchObject({ status: 200, body: 'ok' });
      expect((await api.send('GET /api/userinfox')).status).toBe(404);
      expect((await api.send('GET /aggregator/health/check')).status).toBe(404);
    });
  });
}
