import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkHttp, curl, hasMonitors, startBlackbox } from '../support/monitoring/monitors.ts';
import { requireService } from '../support/services.ts';
import { type Api, accepted, createApi, type Json } from './support/api.ts';
import { bareVariables, freePorts, type PortalProcess, startPortal } from './support/portal-process.ts';

const webui = '/api/webui/aggregator';
const checkPath = '/aggregator/health/check';
const key = randomBytes(32).toString('base64url');
const patient = { timeout: 60_000, interval: 500 };

requireService('curl, check_http or blackbox_exporter', hasMonitors)('monitors of an installation', () => {
  let folder: string;
  let portal: PortalProcess;
  let api: Api;
  let health: Api;
  let admin: string;
  let caFile: string;
  let blackbox: Awaited<ReturnType<typeof startBlackbox>>;
  let site: Json;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aggregator-monitors-'));
    const env = {
      ...bareVariables(join(folder, 'data'), await freePorts(2)),
      HEALTH_CHECK_URL_KEY: key,
      LOG_LEVEL: 'debug',
    };
    portal = await startPortal({ env });
    const { announcement } = portal;
    caFile = announcement.ca_file;
    const ca = readFileSync(caFile, 'utf8');
    api = createApi(announcement.base_url, ca);
    health = createApi(announcement.health_url, ca);
    admin = await api.login('admin', announcement.admin_password ?? '');
    blackbox = await startBlackbox(caFile);
  }, 120_000);
  afterAll(async () => {
    await blackbox?.stop();
    await Promise.all([api?.close(), health?.close()]);
    await portal?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const urlOf = (given = key, query = '') => `${portal.announcement.health_url}${checkPath}/${given}${query}`;
  const report = async () => {
    const headers = { authorization: `Token ${portal.announcement.health_check_access_key}` };
    return (await health.send(`GET ${checkPath}`, { headers })).body;
  };

  /** The result of each monitor for an address: exit codes of curl and check_http, and the probe. */
  const verdicts = async (url: string) => {
    const [byCurl, byPlugin, probe] = await Promise.all([
      curl(url, caFile),
      checkHttp(url, '--string', '"status":"pass"'),
      blackbox.probe(url),
    ]);
    return [byCurl.code, byPlugin.code, probe.success, probe.status];
  };
  const passing = [0, 0, 1, 200];
  const failing = [22, 2, 0, 503];
  const unknown = [22, 2, 0, 404];

  it('without headers see only that the installation passes', async () => {
    await expect.poll(() => verdicts(urlOf()), patient).toEqual(passing);
    expect((await curl(urlOf(), caFile)).output).toBe('{"version":"7.0","status":"pass"}');
    expect(await verdicts(urlOf('w'.repeat(43)))).toEqual(unknown);
    expect(await verdicts(urlOf(key, '?site=north'))).toEqual(unknown);
    const { output } = await checkHttp(urlOf());
    expect(output).toContain('HTTP OK: HTTP/1.1 200 OK');
  });

  it('the embedded database is the broker, and a new site is unknown until it has a node', async () => {
    const { checks } = await report();
    expect(checks['messages_broker:connectionTest']).toEqual([
      { componentId: 'embedded database', componentType: 'component', status: 'pass', state: 'pass' },
    ]);
    site = await accepted(api, `POST ${webui}/sites`, {
      token: admin,
      body: { name: 'North', uri: 'north' },
    });
    const states = async () => (await report()).checks['sites:connectionTest'];
    const entry = { componentId: 'north', componentType: 'component', status: 'pass', state: 'unknown' };
    expect(await states()).toEqual([entry]);
    expect(await verdicts(urlOf(key, '?site=north'))).toEqual(passing);
  });

  it('see a failing site, and no alarm while it is in maintenance', async () => {
    const farm = { name: 'North farm', site_id: site.id };
    const { id: farm_id } = await accepted(api, `POST ${webui}/farms`, { token: admin, body: farm });
    const node = { name: 'north-1', farm_id, url: 'https://127.0.0.1:9' };
    await accepted(api, `POST ${webui}/dispatchers`, { token: admin, body: node });
    await expect.poll(() => verdicts(urlOf(key, '?site=north')), patient).toEqual(failing);
    expect(await verdicts(urlOf())).toEqual(failing);
    const maintained = { token: admin, body: { maintenance: true } };
    await accepted(api, `PATCH ${webui}/sites/${site.id}`, maintained);
    expect(await verdicts(urlOf(key, '?site=north'))).toEqual(passing);
    expect(await verdicts(urlOf())).toEqual(passing);
  });

  it('problems of the health port have a resolvable type URI and name the required key', async () => {
    const { base_url } = portal.announcement;
    const refused = await health.send(`GET ${checkPath}`);
    expect(refused.body.detail).toContain('HEALTH_CHECK_ACCESS_KEY');
    expect(refused.body.title).not.toMatch(/session/);
    const problems = [refused.body, (await health.send('GET /nowhere')).body, await malformed()];
    for (const { type, code, title } of problems) {
      expect(type).toBe(`${base_url}/api/errors/${code}`);
      const page = await api.send(`GET ${new URL(type).pathname}`, {
        headers: { accept: 'application/json' },
      });
      expect([page.status, page.body]).toEqual([200, expect.objectContaining({ code, title })]);
    }
  });

  /** The problem that the server writes to the socket itself. */
  async function malformed(): Promise<Json> {
    const { hostname, port } = new URL(portal.announcement.health_url);
    const socket = connectTls({ host: hostname, port: Number(port), ca: readFileSync(caFile, 'utf8') });
    socket.end(`GET ${checkPath}/${key} HTTP/1.1\r\nbroken\r\n\r\n`);
    const answer = await text(socket);
    return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
  }

  it('the key is in no log, metric, response or database file', async () => {
    const { base_url, health_url, metrics_access_key } = portal.announcement;
    const { port } = new URL(health_url);
    // Sent to the other port, twice as a path, by plain HTTP, and in a malformed request.
    const odd = [urlOf(`${key}/more`), `${base_url}${checkPath}/${key}`, `${base_url}/${key}`];
    for (const url of odd) expect((await curl(url, caFile)).code).toBe(22);
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    socket.end(`GET ${checkPath}/${key} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    await new Promise((resolve) => socket.once('close', resolve).resume());
    const headers = { authorization: `Token ${metrics_access_key}` };
    const metrics = await health.send('GET /aggregator/health/metrics', { headers });
    expect(JSON.stringify(metrics.body)).not.toContain(key);
    // Counts are written when the portal ends.
    const { stdout, stderr } = await portal.stop();
    expect(stderr).toContain('"route":"/aggregator/health/check/:key"');
    expect(`${stdout}${stderr}`).not.toContain(key);
    // grep ends with 1 when there is no such file.
    expect(() => execFileSync('grep', ['-rlaF', key, folder])).toThrow(
      expect.objectContaining({ status: 1 }),
    );
  });
});
