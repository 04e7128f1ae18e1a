import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Connection } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { recordHeartbeat } from '../../../db/repositories/jobs/workers.ts';
import type { HealthDeps } from '../../../functions/health/deps.ts';
import { urlKeyLimits } from '../../../functions/health/url-key.ts';
import { createLog } from '../../../shared/runtime/log.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { type FreezableProxy, startFreezableProxy } from '../../support/database/freezable-proxy.ts';
import { addNode, addSite } from '../../support/installation.ts';
import {
  type Answer,
  accessKeys,
  checkPath,
  type HealthPort,
  metricsPath,
  startHealthPort,
  token,
  urlCheckPath,
} from '../../support/monitoring/health-port.ts';

let database: FreshDatabase;
let admin: Connection;
let proxy: FreezableProxy;
let logged: string[];
const ports: HealthPort[] = [];

const start = async (given: Partial<HealthDeps> = {}): Promise<HealthPort> => {
  const log = createLog({ level: 'debug', write: (line) => logged.push(line) });
  const port = await startHealthPort(proxy.url, { log, ...given });
  ports.push(port);
  return port;
};
const withoutKey = () => start({ accessKeys: { ...accessKeys, url: undefined } });

beforeAll(async () => {
  database = await freshDatabase();
  admin = connectPg({ url: database.ownerUrl, maxConnections: 2 });
  proxy = await startFreezableProxy(database.sidecarUrl);
});
beforeEach(async () => {
  logged = [];
  await admin.db.execute(sql`truncate sites, system_parameters, job_workers cascade`);
  await recordHeartbeat(admin.db, { name: 'host-a/1', host: 'host-a' });
});
afterEach(async () => {
  for (const port of ports.splice(0)) await port.close();
});
afterAll(async () => {
  await proxy.close();
  await admin.close();
  await database.drop();
});

const passing = () => ({ status: 'pass', last_check_at: new Date() }) as const;
const failing = () => ({ status: 'fail', last_check_at: new Date() }) as const;
const outcomeOf = ({ status, text }: Answer) => [status, JSON.parse(text)];
const pass = [200, { version: '7.0', status: 'pass' }];
const fail = [503, { version: '7.0', status: 'fail' }];
const wrongPath = `${checkPath}/${'w'.repeat(32)}`;

/** Every visible part of a refusal, except what differs between any two requests. */
const seen = ({ status, headers, text }: Answer) => {
  const { instance, ...problem } = JSON.parse(text);
  expect(instance).toBe(headers['x-request-id']);
  const { date: _, 'x-request-id': __, 'content-length': ___, ...rest } = headers;
  return { status, headers: rest, problem };
};

describe('the health check with the key in the path', () => {
  it('returns version and status only, with the HTTP status code', async () => {
    const port = await start();
    await addNode(admin.db, passing(), { site: { uri: 'north' } });
    const answer = await port.ask(urlCheckPath);
    expect(outcomeOf(answer)).toEqual(pass);
    expect(answer.headers['cache-control']).toContain('no-store');
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect((await port.ask(`${urlCheckPath}/`)).status).toBe(200);
    const head = await port.ask(urlCheckPath, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    await admin.db.execute(sql`update dispatchers set status = 'fail'`);
    expect(outcomeOf(await port.ask(urlCheckPath))).toEqual(fail);
  });

  it('answers for one site like its entry of the health check', async () => {
    const port = await start();
    const { db } = admin;
    await addNode(db, passing(), { site: { uri: 'up' } });
    await addNode(db, failing(), { site: { uri: 'down' } });
    await addNode(db, failing(), { site: { uri: 'kept', maintenance: true } });
    await addNode(db, failing(), { site: { uri: 'off', enabled: false } });
    await addSite(db, { uri: 'new' });
    const of = async (uri: string) => outcomeOf(await port.ask(`${urlCheckPath}?site=${uri}`));
    for (const uri of ['up', 'kept', 'off', 'new']) expect(await of(uri), uri).toEqual(pass);
    expect(await of('down')).toEqual(fail);
    expect(outcomeOf(await port.ask(urlCheckPath))).toEqual(pass);
    for (const uri of ['nowhere', '', 'UP'])
      expect(await of(uri), uri).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
  });

  it('fails for every site before the first answer of the database', async () => {
    proxy.freeze();
    const port = await start();
    const answers = [await port.ask(`${urlCheckPath}?site=any`), await port.ask(urlCheckPath)];
    proxy.thaw();
    expect(answers.map(outcomeOf)).toEqual([fail, fail]);
  });

  it('a wrong key gets the same answer as any key without a configured one', async () => {
    const [keyed, unkeyed] = [await start(), await withoutKey()];
    for (const method of ['GET', 'POST', 'OPTIONS'] as const) {
      const wrong = seen(await keyed.ask(wrongPath, { method }));
      expect(wrong).toMatchObject({ status: 404, problem: { code: 'not_found' } });
      expect(seen(await unkeyed.ask(wrongPath, { method }))).toEqual(wrong);
      expect(seen(await unkeyed.ask(urlCheckPath, { method }))).toEqual(wrong);
      expect(seen(await keyed.ask('/no/such/path', { method }))).toEqual(wrong);
    }
    expect((await keyed.ask(urlCheckPath, { method: 'POST' })).status).toBe(405);
    for (const key of ['undefined', accessKeys.check, `${accessKeys.url}x`, accessKeys.url.toUpperCase()])
      expect((await keyed.ask(`${checkPath}/${key}`)).status, key).toBe(404);
    expect((await unkeyed.ask(`${checkPath}/undefined`)).status).toBe(404);
  });

  it('the key is valid for nothing else, and other keys are rejected here', async () => {
    const port = await start();
    for (const path of [checkPath, metricsPath])
      expect((await port.ask(path, { headers: token(accessKeys.url) })).status).toBe(401);
    expect((await port.ask(wrongPath, { headers: token(accessKeys.check) })).status).toBe(404);
    expect((await port.ask(`/aggregator/health/metrics/${accessKeys.url}`)).status).toBe(404);
    expect((await port.ask(`${urlCheckPath}/more`)).status).toBe(404);
  });

  it('is rate limited, separately for wrong and right keys, configured or not', async () => {
    // Rate limits refill with time, so the clock is stopped.
    const clock = () => new Date(1_700_000_000_000);
    const keyed = await start({ clock });
    const unkeyed = await start({ clock, accessKeys: { ...accessKeys, url: undefined } });
    for (const port of [keyed, unkeyed]) {
      for (let n = 0; n < urlKeyLimits.wrong; n++) expect((await port.ask(wrongPath)).status).toBe(404);
      const limited = await port.ask(wrongPath);
      expect(limited.status).toBe(429);
      expect(limited.headers['retry-after']).toBe('1');
      expect(limited.headers['ratelimit-policy']).toBe(`"address";q=${urlKeyLimits.wrong};w=60`);
    }
    expect((await keyed.ask(urlCheckPath)).status).toBe(200);
    expect((await unkeyed.ask(urlCheckPath)).status).toBe(429);
    const inTurn = Array.from({ length: urlKeyLimits.right - 1 });
    for (const _ of inTurn) expect((await keyed.ask(urlCheckPath)).status).toBe(200);
    expect((await keyed.ask(urlCheckPath)).status).toBe(429);
  });

  it('has its key in no log line and in no answer', async () => {
    const port = await start();
    const odd = [
      urlCheckPath,
      `${urlCheckPath}?site=nowhere`,
      `${checkPath}//${accessKeys.url}`,
      `${checkPath}?key=${accessKeys.url}`,
      `/aggregator/health/${accessKeys.url}`,
      `/aggregator/health/metrics/${accessKeys.url}`,
      `${urlCheckPath}/more`,
      `/${accessKeys.url}`,
    ];
    const answers: Answer[] = [];
    for (const method of ['GET', 'POST', 'OPTIONS'] as const)
      for (const path of odd) answers.push(await port.ask(path, { method }));
    proxy.freeze();
    answers.push(await port.ask(urlCheckPath));
    proxy.thaw();
    const shown = JSON.stringify([logged, answers]);
    expect(shown).not.toContain(accessKeys.url);
    expect(logged.length).toBeGreaterThanOrEqual(answers.length);
    expect(logged.join()).toContain('"route":"/aggregator/health/check/:key"');
  });
});
