import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { root } from '../../../shared/tooling/build/bundles.ts';
import { requireService } from '../../support/services.ts';

const run = promisify(execFile);
const deployment = join(root, 'functions', 'deploy');
const units = ['aggregator-portal', 'aggregator-sidecar'];
const unitOf = (name: string): string => readFileSync(join(deployment, 'systemd', `${name}.service`), 'utf8');

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

requireService('systemd-analyze', hasSystemd)('a systemd service', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aggregator-units-'));
    // As on a server with this tree in /opt/aggregator: the programs of a unit must exist.
    for (const name of units)
      await writeFile(
        join(folder, `${name}.service`),
        unitOf(name).replaceAll('/opt/aggregator', root.replace(/\/$/, '')),
      );
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(units)('%s is accepted by systemd without a warning', async (name) => {
    const file = join(folder, `${name}.service`);
    const { stdout, stderr } = await run('systemd-analyze', [
      'verify',
      '--man=no',
      '--recursive-errors=no',
      file,
    ]);
    expect(stdout + stderr).toBe('');
  });

  it.each(units)('%s has a low exposure', async (name) => {
    const file = join(folder, `${name}.service`);
    // Of 100; a service without any of these settings has 96, and exceeding the threshold fails the command.
    const { stdout } = await run('systemd-analyze', ['security', '--offline=true', '--threshold=20', file]);
    expect(stdout).toMatch(/Overall exposure level for \S+: [01]\.\d/);
  });
});

describe('a systemd unit', () => {
  it.each(units)('%s starts a program of this repository with the Node version of its lock file', (name) => {
    const [, program = '', main = ''] =
      /^ExecStart=\/opt\/aggregator\/(\S+) .*?(\S+)$/m.exec(unitOf(name)) ?? [];
    expect(program).toBe('node_modules/.bin/node');
    expect(readFileSync(join(root, main), 'utf8')).toContain('await orEnd(');
  });
});

const hasCompose = spawnSync('docker-compose', ['--version']).status === 0;

requireService('docker-compose', hasCompose)('the compose file', () => {
  it('is accepted by Compose', async () => {
    const file = join(deployment, 'compose.yaml');
    const { stdout, stderr } = await run('docker-compose', ['--file', file, 'config', '--quiet']);
    expect(stdout + stderr).toBe('');
  });
});

describe('the compose file', () => {
  const { services, secrets, networks } = parse(readFileSync(join(deployment, 'compose.yaml'), 'utf8'));

  it('gives the portal no writable path, no capability and no plain secret', () => {
    const { portal } = services;
    expect(portal).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(readFileSync(join(deployment, 'Dockerfile'), 'utf8')).toMatch(/^USER node$/m);
    for (const { environment } of Object.values<{ environment: object }>(services))
      expect(Object.keys(environment).filter((name) => /PASSWORD$|KEY|DATABASE_URL/.test(name))).toEqual([]);
    const used = [...services.portal.secrets, ...services.database.secrets];
    expect(Object.keys(secrets).sort()).toEqual(used.map((secret) => secret.source ?? secret).sort());
  });

  it('allows only the portal to connect to the database', () => {
    expect([services.database.networks, services.database.ports]).toEqual([['inside'], undefined]);
    expect(networks.inside).toEqual({ internal: true });
  });
});
