import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { randomToken } from '../../shared/kernel/digests.ts';
import { createApi } from '../e2e/api.ts';
import { bareVariables, freePorts, type PortalProcess, root, startPortal } from '../e2e/portal-process.ts';
import { type Authority, createAuthority } from '../simulator/authority.ts';
import { createDispatcherState } from '../simulator/seed.ts';
import { type Simulator, startSimulator } from '../simulator/start.ts';
import { passwordOf, person, posixGroup } from '../support/directory-entries.ts';
import { guideOf, type Values } from '../support/guides.ts';
import { requireService } from '../support/services.ts';
import { hasSlapd, reader, type Slapd, startSlapd, suffix } from '../support/slapd.ts';

const urlKey = randomToken();
let folder: string;
let env: NodeJS.ProcessEnv;
let authority: Authority;
let portal: PortalProcess;
let simulator: Simulator;
let slapd: Slapd;

async function startAll(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'aggregator-guides-'));
  env = { ...bareVariables(folder, await freePorts(2)), HEALTH_CHECK_URL_KEY: urlKey };
  authority = await createAuthority();
  await writeFile(join(folder, 'ca.pem'), authority.caPem);
  portal = await startPortal({ env });
  const { base_url, ca_file } = portal.announcement;
  simulator = await startSimulator({
    state: createDispatcherState({
      name: 'd1',
      domains: [],
      pools: [{ name: 'Office', protocols: ['rdp'], workplaces: 3, entitled: 'all' }],
    }),
    jwks: `${base_url}/api/auth/v7.0/jwks`,
    portalCa: await readFile(ca_file, 'utf8'),
    healthKey: 'opens the check',
    authority,
  });
  slapd = await startSlapd(await authority.issue(), `${person('alice')}\n${posixGroup('staff', ['alice'])}`);
}

/** What the lines say, a text by heading. */
async function paste(guide: string, values: Values): Promise<Record<string, string>> {
  const { script, sections } = await guideOf(guide, values);
  const run = promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', script], { env, cwd: root });
  const { stdout } = await run.catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
    throw new Error(`the lines of ${guide} end early: ${stdout.slice(-600)}\n${stderr.slice(-600)}`);
  });
  return sections(stdout);
}

const logIn = async (credentials: Record<string, string>) => {
  const { base_url, ca_file } = portal.announcement;
  const api = createApi(base_url, await readFile(ca_file, 'utf8'));
  try {
    return await api.send('POST /api/auth/v7.0/login', { body: credentials });
  } finally {
    await api.close();
  }
};

requireService('slapd', hasSlapd)('the guides', () => {
  beforeAll(startAll, 60_000);
  afterAll(async () => {
    await portal?.stop();
    await simulator?.close();
    await slapd?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('of administrators add a site, connect a directory, give a part away and drain, as they are written', async () => {
    const { base_url, ca_file, admin_password = '' } = portal.announcement;
    const said = await paste('functions/webui/README.md', {
      URL: base_url,
      CA: ca_file,
      PASSWORD: admin_password,
      NODE: simulator.url,
      NODE_CA: join(folder, 'ca.pem'),
      HEALTH_KEY: simulator.healthKey,
      HOST: slapd.secureUrl,
      HOST_CA: join(folder, 'ca.pem'),
      BASE: suffix,
      BIND_DN: reader.bind_dn,
      BIND_PASSWORD: reader.bind_password,
    });
    expect(said['Add a site']).toMatch(/"status": "pass"[\s\S]*"name": "North"[\s\S]*"name": "Office"/);
    expect(said['Connect a directory']).toMatch(/"The domain can be used"[\s\S]*"pass user: uid=alice/);
    expect(said['Give somebody a part of the administration']).toContain('"name": "helpdesk"');
    expect(said['Drain a site']).toMatch(/"maintenance": true[\s\S]*^0$[\s\S]*"maintenance": false/m);
    expect(said['Drain a site']).toMatch(/maintenance_ended\n\S+ maintenance_began\n$/);
    const alice = { authSmallName: 'directory', username: 'alice', password: passwordOf('alice') };
    expect(await logIn(alice)).toMatchObject({ status: 200, body: { user: { name: 'alice' } } });
  }, 120_000);

  it('of operators monitor, and rotate the keys of a stopped portal, which then starts with the new ones', async () => {
    const { announcement } = portal;
    const values: Values = {
      HEALTH: announcement.health_url,
      URL: announcement.base_url,
      CA: announcement.ca_file,
      HEALTH_KEY: announcement.health_check_access_key,
      METRICS_KEY: announcement.metrics_access_key,
      URL_KEY: urlKey,
    };
    const monitored = await paste('functions/health/README.md#Monitor', values);
    expect(monitored.Monitor).toMatch(/"status": "pass"[\s\S]*aggregator_site_up\{site="north"\} 1/);
    expect(monitored.Monitor).toContain('{"version":"7.0","status":"pass"}');
    expect(monitored.Monitor).toMatch(/ready: 200\nok/);
    await portal.stop();
    const rotated = await paste('functions/health/README.md#Rotate keys', {});
    expect(rotated['Rotate keys']).toMatch(/New keys stand in .*\n[\s\S]*, 0 remain/);
    portal = await startPortal({ env });
    const alice = { authSmallName: 'directory', username: 'alice', password: passwordOf('alice') };
    expect(await logIn(alice)).toMatchObject({ status: 200 });
  }, 90_000);
});
