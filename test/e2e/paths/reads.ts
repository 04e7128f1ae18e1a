import { filesOfReference } from '../../support/documents/reference-files.ts';
import { auth, client, webui } from '../support/installation.ts';
import type { Seeded } from '../twins/twins.ts';
import { administrationReads } from './administration-reads.ts';
import { historyReads } from './history-reads.ts';
import { list, one, type Question } from './questions.ts';
import { scimReads } from './scim-reads.ts';

const json = { 'content-type': 'application/json' };
const unknown = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';

/** The requests of every read in the document, by its path. */
export function readsOf(seeded: Seeded) {
  const { domain, group, user, site, farm, dispatcher, role, service } = seeded;
  const domains = `${webui}/authenticators`;
  return {
    ...administrationReads(seeded),
    ...historyReads(seeded),
    ...scimReads(seeded),
    '/livez': one('/livez', 'anonymous'),
    '/readyz': one('/readyz', 'anonymous'),
    // Pages and documents of the reference need a browser session; documents are available with a token as well.
    '/api/docs/': [
      { path: '/api/docs/', who: 'anonymous', status: 302, headers: { accept: 'text/html' } },
      { path: '/api/docs/', status: 401 },
    ],
    '/api/docs/files/{file}': filesOfReference.map((path) => ({ path, status: 401 })),
    '/api/openapi.json': [
      ...one('/api/openapi.json'),
      { path: '/api/openapi.json', who: 'user', status: 401 },
    ],
    '/api/openapi.yaml': one('/api/openapi.yaml'),
    '/signin': [
      { path: '/signin', who: 'anonymous' },
      { path: '/signin?language=ru&next=/status', who: 'anonymous' },
    ],
    '/status': [
      { path: '/status', who: 'anonymous', status: 302, headers: { accept: 'text/html' } },
      { path: '/status', status: 401 },
    ],
    '/console/': [
      { path: '/console/', who: 'anonymous', status: 302, headers: { accept: 'text/html' } },
      { path: '/console/', status: 401 },
    ],
    '/console/files/{file}': [{ path: '/console/files/console-ABCDEFGH.js', status: 401 }],
    '/api/auth/v7.0/oidc/{auth_uuid}/start': [
      {
        path: `/api/auth/v7.0/oidc/00000000-0000-0000-0000-000000000000/start`,
        who: 'anonymous',
        status: 404,
      },
    ],
    '/.well-known/oauth-authorization-server/api/auth/v7.0/oidc/{auth_uuid}': [
      {
        path: `/.well-known/oauth-authorization-server/api/auth/v7.0/oidc/${unknown}`,
        who: 'anonymous',
        status: 200,
      },
    ],
    '/consent/{request_id}': [{ path: `/consent/${unknown}`, status: 401 }],
    '/device': [{ path: '/device', who: 'anonymous', status: 200 }],
    '/api/auth/v7.0/oidc/callback': [
      { path: '/api/auth/v7.0/oidc/callback?state=unknown', who: 'anonymous', status: 401 },
    ],
    '/api/auth/v7.0/oidc/signed-out': [
      { path: '/api/auth/v7.0/oidc/signed-out', who: 'anonymous', status: 302 },
    ],
    '/signin/files/{file}': [{ path: '/signin/files/signin-ABCDEFGH.js', who: 'anonymous', status: 404 }],
    '/home/': [
      { path: '/home/', who: 'anonymous', status: 302, headers: { accept: 'text/html' } },
      { path: '/home/', status: 401 },
    ],
    '/home/files/{file}': [{ path: '/home/files/home-ABCDEFGH.js', who: 'anonymous', status: 404 }],
    '/home/app.webmanifest': one('/home/app.webmanifest', 'anonymous'),
    '/home/icons/{file}': one('/home/icons/icon-192.png', 'anonymous'),
    '/home/worker.js': one('/home/worker.js', 'anonymous'),
    '/home/offline': [
      ...one('/home/offline', 'anonymous'),
      { path: '/home/offline?language=ru', who: 'anonymous' },
    ],
    [`${webui}/changes`]: [
      { path: `${webui}/changes?after=x`, status: 422 },
      { path: `${webui}/changes`, who: 'user', status: 403 },
    ],
    [`${webui}/search`]: [
      { path: `${webui}/search?text=a` },
      { path: `${webui}/search?text=a`, who: 'clerk' },
      { path: `${webui}/search?text=a`, who: 'user', status: 403 },
      { path: `${webui}/search` },
    ],
    '/api/errors/{code}': [
      { path: '/api/errors/not_found', who: 'anonymous' },
      { path: '/api/errors/in_use', who: 'anonymous', headers: { accept: 'text/html' } },
    ],
    '/api/discover/': [...one('/api/discover/'), ...one('/api/discover', 'user')],
    '/api/userinfo': [
      ...one('/api/userinfo'),
      ...one('/api/userinfo', 'user'),
      ...one('/api/userinfo', 'clerk'),
    ],
    '/api/auth/v7.0/authenticators': one(`${auth}/authenticators`, 'anonymous'),
    '/api/auth/v7.0/jwks': one(`${auth}/jwks`, 'anonymous'),
    '/api/auth/v7.0/oidc/{auth_uuid}/jwks': [
      { path: `${auth}/oidc/${unknown}/jwks`, who: 'anonymous', status: 404 },
    ],
    '/api/auth/v7.0/settings': one(`${auth}/settings`),
    '/aggregator/api/client/v7.0/{site_uri}/servicesList/': one(`${client}/north/servicesList/`, 'user'),
    '/aggregator/api/client/v7.0/{site_uri}/preconnectionInfo/{id}': one(
      `${client}/north/preconnectionInfo/${service}`,
      'user',
    ),
    '/aggregator/api/client/v7.0/{site_uri}/connectionInfo/{id}': [
      ...one(`${client}/north/connectionInfo/${service}?protocol=rdp&hostname=desk`, 'user'),
      {
        path: `${client}/north/connectionInfo/${service}`,
        who: 'user',
        headers: { accept: 'application/x-rdp' },
      },
    ],
    // The sidecar has these on a separate port; the portal does not serve them.
    '/aggregator/health/check': [{ path: '/aggregator/health/check', status: 404 }],
    '/aggregator/health/check/{key}': [{ path: `/aggregator/health/check/${'k'.repeat(32)}`, status: 404 }],
    '/aggregator/health/metrics': [{ path: '/aggregator/health/metrics', status: 404 }],
    '/api/webui/aggregator/authenticators': list(domains),
    '/api/webui/aggregator/authenticators/{uuid}': one(`${domains}/${domain.id}`),
    '/api/webui/aggregator/authenticators/{uuid}/sign_in_tests/{test_id}': [
      { path: `${domains}/${domain.id}/sign_in_tests/00000000-0000-4000-8000-000000000000`, status: 404 },
    ],
    '/api/webui/aggregator/authenticators/{uuid}/registration': [
      { path: `${domains}/${domain.id}/registration`, status: 404 },
    ],
    '/api/webui/aggregator/authenticators/{uuid}/identities': [
      { path: `${domains}/${domain.id}/identities`, status: 404 },
    ],
    '/api/webui/aggregator/authenticators/{auth_uuid}/groups': list(`${domains}/${domain.id}/groups`),
    '/api/webui/aggregator/authenticators/{auth_uuid}/groups/{uuid}': one(
      `${domains}/${domain.id}/groups/${group.id}`,
    ),
    '/api/webui/aggregator/authenticators/{auth_uuid}/users': list(`${domains}/${domain.id}/users`),
    '/api/webui/aggregator/authenticators/{auth_uuid}/users/{uuid}': one(
      `${domains}/${domain.id}/users/${user.id}`,
    ),
    '/api/webui/aggregator/dispatchers': [
      ...list(`${webui}/dispatchers`, '-priority'),
      { path: `${webui}/dispatchers?farm_id=${farm.id}&enabled=true` },
    ],
    '/api/webui/aggregator/dispatchers/{id}': one(`${webui}/dispatchers/${dispatcher.id}`),
    '/api/webui/aggregator/farms': [
      ...list(`${webui}/farms`, '-weight'),
      { path: `${webui}/farms?maintenance=true`, who: 'clerk' },
    ],
    '/api/webui/aggregator/farms/{id}': [
      ...one(`${webui}/farms/${farm.id}`),
      ...one(`${webui}/farms/${farm.id}`, 'clerk'),
    ],
    '/api/webui/aggregator/farms/{id}/dispatchers': one(`${webui}/farms/${farm.id}/dispatchers`),
    '/api/webui/aggregator/rbac': list(`${webui}/rbac`),
    '/api/webui/aggregator/rbac/permissions': one(`${webui}/rbac/permissions`),
    '/api/webui/aggregator/rbac/{id}': one(`${webui}/rbac/${role.id}`),
    '/api/webui/aggregator/sites': list(`${webui}/sites`, 'uri'),
    '/api/webui/aggregator/sites/users-groups-from-domains': [
      ...one(`${webui}/sites/users-groups-from-domains`),
      { path: `${webui}/sites/users-groups-from-domains?limit=1&search=a` },
    ],
    '/api/webui/aggregator/sites/{id}': one(`${webui}/sites/${site.id}`),
    '/api/webui/aggregator/sites/{id}/farms': list(`${webui}/sites/${site.id}/farms`),
  } satisfies Record<string, Question[]>;
}

/** Refusals and responses without a body; `cursor` is one of the list of sites. */
export function refusalsOf({ site, farm, untrusted }: Seeded, cursor: string): Record<string, Question> {
  const sites = `${webui}/sites`;
  const tampered = cursor.slice(0, -4) + (cursor.endsWith('AAAA') ? 'BBBB' : 'AAAA');
  const wrong = { username: 'anonymous', password: 'wrong wrong wrong', authSmallName: 'corp' };
  const post = (path: string, status: number, body: unknown, headers = json): Question => ({
    path,
    method: 'POST',
    status,
    body,
    headers,
  });
  return {
    'an address where nothing is': { path: '/api/nothing', status: 404 },
    'an address beside a module': { path: '/api/userinfox', status: 404 },
    'an unknown id': { path: `${sites}/${unknown}`, status: 404 },
    'slashes in a row': { path: '//api/userinfo', status: 404 },
    'letters that are encoded': { path: '/api/%75serinfo', status: 404 },
    'an id that is none': { path: `${sites}/%20%2F`, status: 404 },
    'an address that is not encoded as it must be': { path: `${sites}/%ff`, status: 404 },
    'a site of nobody': { path: `${client}/elsewhere/servicesList/`, who: 'user', status: 404 },
    'a code of no error': { path: '/api/errors/nothing', who: 'anonymous', status: 404 },
    'another method': { path: sites, method: 'PUT', status: 405 },
    'a method of nobody': { path: sites, method: 'PROPFIND', status: 405 },
    'no token': { path: sites, who: 'anonymous', status: 401 },
    'a token of nobody': {
      path: sites,
      who: 'anonymous',
      headers: { 'x-auth-token': 'made-up' },
      status: 401,
    },
    'a permission that is lacking': { path: sites, who: 'clerk', status: 403 },
    'a user without a role': { path: `${webui}/rbac`, who: 'user', status: 403 },
    'a bad query': { path: `${sites}?limit=0&colour=red&sort=size&sort=name`, status: 422 },
    'a query that cannot be stored': { path: `${sites}?search=%00`, status: 422 },
    'a tampered cursor': { path: `${sites}?limit=2&cursor=${tampered}`, status: 400 },
    'a cursor of another list': { path: `${sites}?limit=2&sort=uri&cursor=${cursor}`, status: 400 },
    'what is no JSON': post(sites, 400, '{"name":'),
    'an array': post(sites, 400, '[]'),
    'an empty body': post(sites, 422, ''),
    'another media type': post(sites, 415, 'name=x', { 'content-type': 'text/plain' }),
    'a body that is too large': post(sites, 413, { name: 'x'.repeat(1_048_577) }),
    'no body': { path: sites, method: 'POST', status: 422 },
    'a bad body': post(sites, 422, { uri: 'NORTH', colour: 'red', location: { latitude: 100 } }),
    'a name that is taken': post(sites, 409, { name: 'north', uri: 'other' }),
    'what is referred to': { path: `${sites}/${site.id}`, method: 'DELETE', status: 409 },
    'another version': {
      ...post(`${webui}/farms/${farm.id}`, 412, { comments: 'x' }, { ...json, ...{ 'if-match': '"99.0"' } }),
      method: 'PATCH',
    },
    'what is known already': {
      path: `${webui}/farms/${farm.id}`,
      headers: { 'if-none-match': '*' },
      status: 304,
    },
    'wrong credentials': { ...post(`${auth}/login`, 401, wrong), who: 'anonymous' },
    'a node whose certificate is not trusted': post(`${auth}/jwtauth`, 502, { dispatcher_id: untrusted.id }),
    'a path asked for its methods': { path: sites, method: 'OPTIONS', status: 204 },
    'a question for the headers alone': { path: `${sites}/${site.id}`, method: 'HEAD' },
  };
}
