import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority } from '../simulator/authority.ts';
import { type FreshDatabase, freshDatabase } from '../support/database/database.ts';
import { commandsUnder } from '../support/documents/guides.ts';
import { createApi } from './support/api.ts';
import { bareVariables, freePorts, type PortalProcess, startPortal } from './support/portal-process.ts';

const run = promisify(execFile);

let folder: string;
let etc: string;
let database: FreshDatabase;
let portal: PortalProcess;
let written: Record<string, string>;
let ports: number[];
let ca: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aggregator-files-'));
  etc = join(folder, 'etc');
  await mkdir(etc);
  await run('bash', ['--norc', '-euc', commandsUnder('Keys')], { cwd: etc });
  [database, ports] = [await freshDatabase(), await freePorts(2)];
  ca = await writeConfiguration();
  written = await contentsOf(etc);
  const { PORT: _, HEALTH_PORT: __, ...env } = bareVariables(join(folder, 'data'), ports);
  portal = await startPortal({ env: { ...env, CONFIG_FILE: join(etc, 'aggregator.conf') } });
});
afterAll(async () => {
  await portal?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

/**
 * The configuration file of the guide for a plain server, with its placeholders filled.
 * @returns the authority of its TLS
 */
async function writeConfiguration(): Promise<string> {
  const authority = await createAuthority();
  const { cert, key } = await authority.issue();
  await writeFile(join(etc, 'tls-cert.pem'), cert);
  await writeFile(join(etc, 'tls-key.pem'), key);
  const [, text = ''] = /<<'END'\n([\s\S]*?)^END$/m.exec(commandsUnder('A plain server')) ?? [];
  const own: Record<string, string> = {
    HOST: '127.0.0.1',
    PORT: String(ports[0]),
    BASE_URL: `https://localhost:${ports[0]}`,
    DATABASE_URL: database.url,
    DATABASE_OWNER_URL: database.ownerUrl,
    DATABASE_SIDECAR_URL: database.sidecarUrl,
  };
  const kept = await Promise.all(
    text.split('\n').map(async (line) => {
      const [name = '', value = ''] = line.split(/=(.*)/s);
      const [, file] = /^<([\w-]+)>$/.exec(value) ?? [];
      const filled = file ? (await readFile(join(etc, file), 'utf8')).trim() : value;
      return name === '' ? '' : `${name}=${own[name] ?? filled}`;
    }),
  );
  await writeFile(join(etc, 'aggregator.conf'), `${kept.join('\n')}\nHEALTH_PORT=${ports[1]}\n`);
  return authority.caPem;
}

async function contentsOf(place: string): Promise<Record<string, string>> {
  const names = await readdir(place);
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(place, name), 'utf8')] as const)),
  );
}

describe('a portal configured only by files, as in the guide', () => {
  it('serves with the given certificate and keys', async () => {
    const { base_url, health_url, health_check_access_key } = portal.announcement;
    expect(base_url).toBe(`https://localhost:${ports[0]}`);
    expect(health_check_access_key).toBe(written['health-key']?.trim());
    const [api, health] = [createApi(base_url, ca), createApi(health_url, ca)];
    const headers = { authorization: `Token ${health_check_access_key}` };
    expect((await api.send('GET /livez')).status).toBe(200);
    expect((await api.send('GET /api/auth/v7.0/jwks')).body.keys).toHaveLength(1);
    expect((await health.send('GET /aggregator/health/check', { headers })).status).toBe(200);
    await Promise.all([api.close(), health.close()]);
  });

  it('writes none of these files and adds none beside them', async () => {
    expect(await contentsOf(etc)).toEqual(written);
  });
});
