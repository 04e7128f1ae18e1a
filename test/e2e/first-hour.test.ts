import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority } from '../simulator/authority.ts';
import { person, posixGroup } from '../support/directories/entries.ts';
import { hasSlapd, reader, type Slapd, startSlapd, suffix } from '../support/directories/slapd.ts';
import { type Block, blocksOf, filled, scriptOf, sectionsOf } from '../support/documents/guides.ts';
import { programVariables } from '../support/program-variables.ts';
import { requireService } from '../support/services.ts';
import { gitFiles } from '../support/tree.ts';
import { freePorts, root } from './support/portal-process.ts';

const readme = 'README.md';
const administrators = 'functions/webui/README.md';
const operators = 'functions/health/README.md';
const configuration = 'functions/deploy/configuration-as-code.md';

let folder: string;
let slapd: Slapd;
let shell: ChildProcess | undefined;
let printed = '';
let sections: Record<string, string> = {};

/** A clean checkout of the tree. Its packages are links, so that an installation would not change those of the tree. */
async function checkOut(): Promise<string> {
  const target = join(folder, 'aggregator');
  for (const file of await gitFiles(root)) {
    await mkdir(dirname(join(target, file)), { recursive: true });
    await cp(join(root, file), join(target, file), { preserveTimestamps: true });
  }
  const packages = join(target, 'node_modules');
  await mkdir(packages);
  for (const name of await readdir(join(root, 'node_modules')))
    if (name !== '.package-lock.json') await symlink(join(root, 'node_modules', name), join(packages, name));
  // As npm leaves it after an installation: newer than the lock file of the checkout.
  await cp(join(root, 'node_modules', '.package-lock.json'), join(packages, '.package-lock.json'));
  return target;
}

/** The manual steps between two blocks. */
const step = (title: string, lines: string): Pick<Block, 'title' | 'lines'> => ({ title, lines });

async function script(ports: readonly number[]): Promise<{ text: string; env: NodeJS.ProcessEnv }> {
  const [port, healthPort, dispatcherPort] = ports;
  const url = `https://localhost:${port}`;
  const ca = join(folder, 'ldap-ca.pem');
  const authority = await createAuthority();
  await writeFile(ca, authority.caPem);
  slapd = await startSlapd(await authority.issue(), `${person('alice')}\n${posixGroup('staff', ['alice'])}`);
  const monitoring = blocksOf(operators).filter(({ heading }) => heading === 'Monitor');
  const rotation = blocksOf(operators).filter(({ heading }) => heading === 'Rotate keys');
  const directory = {
    HOST: slapd.secureUrl,
    HOST_CA: ca,
    BASE: suffix,
    BIND_DN: reader.bind_dn,
    BIND_PASSWORD: reader.bind_password,
  };
  const text = scriptOf([
    ...filled(blocksOf(readme), { URL: url }),
    ...filled(monitoring, { HEALTH: `https://localhost:${healthPort}`, URL: url }),
    step('with the portal stopped', 'kill %%; wait'),
    ...filled(blocksOf(configuration), {}),
    ...filled(rotation, {}),
    step(
      'then npm start',
      'npm start &\nuntil curl -sf --cacert $CA $URL/readyz; do sleep 1; done\nkill %%; wait',
    ),
    ...filled(blocksOf(administrators), {
      URL: url,
      NODE: `https://127.0.0.1:${dispatcherPort}`,
      ...directory,
    }),
    step('a name that is taken', 'create sites \'{ "name": "East", "uri": "other" }\' || echo refused'),
    step('the end', 'kill %%; wait; echo "that was all"'),
  ]);
  const env = {
    ...programVariables,
    HOME: process.env.HOME,
    PORT: String(port),
    HEALTH_PORT: String(healthPort),
    DEMO_DISPATCHER_PORT: String(dispatcherPort),
    DEMO_WEST_FAILS: 'never',
    LOG_LEVEL: 'warn',
  };
  return { text, env };
}

/** Each job has a process group, as in an interactive shell; all end with the shell, at the first failure. */
const jobControl = `set -meuo pipefail
trap 'for job in $(jobs -p); do kill -- "-$job"; done' EXIT`;

/** Runs all lines in one bash. */
async function runAll(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'aggregator-first-hour-'));
  const [cwd, { text, env }] = await Promise.all([checkOut(), script(await freePorts(3))]);
  expect(existsSync(join(cwd, '.data'))).toBe(false);
  shell = spawn('bash', ['--norc', '-c', `${jobControl}\n${text}`], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [shell.stdout, shell.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  const started = performance.now();
  const [code] = await once(shell, 'close');
  const seconds = Math.round((performance.now() - started) / 1_000);
  if (seconds > 180) console.warn(`the lines took ${seconds} s, more than 180 s`);
  sections = sectionsOf(printed);
  if (code !== 0) throw new Error(`the lines end with ${code}: ${printed.slice(-3_000)}`);
}

const under = (file: string, title: string): string => sections[`${file}: ${title}`] ?? 'no such block';

requireService('slapd', hasSlapd)('README and guides as one script', () => {
  beforeAll(runAll, 600_000);
  afterAll(async () => {
    if (shell?.exitCode === null && shell.kill('SIGTERM')) await once(shell, 'close');
    await slapd?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('the demo lists services and gets a connection', () => {
    const lines = under(readme, 'First steps 1');
    expect(lines).toMatch(/The demo is ready: https:\/\/localhost:\d+/);
    expect(lines).toMatch(/"name":"Office"[\s\S]*"protocol":"rdp"[^\n]*"password":"/);
  });

  it('the first start leads to a site', () => {
    expect(under(readme, 'First steps 2')).toMatch(/The portal is ready[\s\S]*CA file/);
    expect(under(readme, 'First steps 3')).toMatch(
      /"name": "admin"[\s\S]*"name": "First site",\s+"uri": "first"/,
    );
  });

  it('the configuration is exported, and applied again changes nothing', () => {
    expect(under(configuration, 'Configuration as code 1')).toMatch(/No changes[\s\S]*No changes/);
  });

  it('monitors read health and metrics, and keys are rotated', () => {
    expect(under(operators, 'Monitor 1')).toMatch(
      /"status": "pass"[\s\S]*aggregator_site_up\{site="first"\} /,
    );
    expect(under(operators, 'Monitor 2')).toMatch(/ready: 200\nok/);
    expect(under(operators, 'Rotate keys 1')).toMatch(/New keys are in .*\n[\s\S]*, 0 remain/);
    expect(sections['then npm start']).toContain('The portal is ready');
  });

  it('a site is added, its dispatcher is probed and its pools are read', () => {
    expect(under(administrators, 'Add a site 2')).toContain('"status": "pass"');
    expect(under(administrators, 'Add a site 3')).toContain('pass lists: Pools, workplaces and sessions');
    expect(under(administrators, 'Add a site 4')).toMatch(/"name": "East"[\s\S]*"name": "Workshop"/);
  });

  it('a directory is tested, connected, and its group registered', () => {
    expect(under(administrators, 'Connect a directory 1')).toMatch(
      /"The domain works"[\s\S]*pass user: uid=alice/,
    );
    expect(under(administrators, 'Connect a directory 2')).toContain('"name": "staff"');
  });

  it('a part of the administration is delegated, and a site is drained', () => {
    expect(under(administrators, 'Delegate administration 1')).toContain('"name": "helpdesk"');
    expect(under(administrators, 'Drain a site 1')).toContain('"maintenance": true');
    expect(under(administrators, 'Drain a site 2')).toMatch(/^0$/m);
    expect(under(administrators, 'Drain a site 3')).toMatch(/maintenance_ended\n\S+ maintenance_began$/m);
  });

  it('a list is explained for another user', () => {
    expect(under(administrators, 'Find causes 1')).toMatch(/"outcome": "c(andidate|hosen)"/);
    expect(sections['the end']).toContain('that was all');
  });

  it('the documented refusal occurs, and no other command is refused', () => {
    expect(sections['a name that is taken']).toMatch(/\S*name\S*: .*\nrefused/);
    expect(printed).not.toMatch(/^jq: |: command not found|npm error/m);
    expect(printed.match(/^curl: .*/gm)).toHaveLength(1);
  });
});

describe('the guide of the first hour', () => {
  it('has no command that hides an error', () => {
    for (const file of [readme, administrators, operators, configuration])
      for (const { title, lines } of blocksOf(file)) {
        expect([title, lines]).toEqual([
          title,
          expect.not.stringMatching(/jq (-\w+ )*\.\w+\b|ascii_downcase/),
        ]);
      }
  });
});
