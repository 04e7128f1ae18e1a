import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { floodLimit } from '../../../shared/runtime/edge/flood-gate.ts';
import { edgeModules } from '../../../shared/tooling/build/bundles.ts';
import { cachedBundles } from '../../../shared/tooling/build/cached-bundles.ts';
import { deploymentOf } from '../../../shared/tooling/deploy/deployments.ts';
import { type LocalWorkers, startLocalWorkers } from '../../../shared/tooling/workers/local-workers.ts';
import { send } from '../../support/workers/local-workers.ts';

let workers: LocalWorkers;
const flood = { limit: 3, period: 60 } as const;

beforeAll(async () => {
  workers = await startLocalWorkers({
    bundles: await cachedBundles('workers'),
    host: '127.0.0.1',
    port: 0,
    // No route is called: a refused request ends before.
    variables: {
      DATABASE_URL: 'postgres://unused@localhost/nothing',
      BASE_URL: 'https://portal.example',
      SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    },
    flood,
  });
});
afterAll(async () => {
  await workers?.stop();
});

const ask = (ip: string, path = '/api/errors/not_found') =>
  send(workers.url, `GET ${path}`, { headers: { 'cf-connecting-ip': ip } });

describe('a flood of requests', () => {
  it('from one network is refused above its limit, and other networks are served', async () => {
    for (let asked = 0; asked < flood.limit; asked++)
      expect(await ask('2001:db8:1:2::7')).toMatchObject({ status: 200 });
    const refused = await ask('2001:db8:1:2::8');
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited', policy: 'address' } });
    expect(refused.headers.get('retry-after')).toBe('10');
    expect(refused.headers.get('x-request-id')).toBe(refused.body.instance);
    expect(await ask('2001:db8:1:3::7')).toMatchObject({ status: 200 });
  });

  it('is refused before the module is built or the database is called', async () => {
    const answers = [];
    // This module cannot be built with these variables, and fails on every request.
    for (let asked = 0; asked <= flood.limit; asked++)
      answers.push((await ask('192.0.2.9', '/api/auth/v7.0/jwks')).status);
    expect(answers).toEqual([500, 500, 500, 429]);
  });
});

it('every response of a Worker has Strict-Transport-Security, also those outside of modules', async () => {
  const page = '/api/errors/not_found';
  const paths = ['/api/auth/v7.0/jwks', page, '/nowhere', page, page];
  const answers = [];
  for (const path of paths) answers.push(await ask('192.0.2.77', path));
  // The first module cannot be built, and the last request exceeds the limit of the other one.
  expect(answers.map(({ status }) => status)).toEqual([500, 200, 404, 200, 429]);
  for (const { headers } of answers)
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
});

it.each([...edgeModules])('%s has the same limit in wrangler.toml and in its error', (module) => {
  const limits = edgeModules.map((name) => deploymentOf(name).ratelimits.FLOOD);
  expect(deploymentOf(module).ratelimits.FLOOD?.simple).toEqual(floodLimit);
  expect(new Set(limits.map((limit) => limit?.namespace_id)).size).toBe(edgeModules.length);
});
