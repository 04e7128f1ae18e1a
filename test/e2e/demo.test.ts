import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from './api.ts';
import { bareVariables, freePorts, root } from './portal-process.ts';

type Demo = { lines: string; stop(): Promise<number | null> };

let folder: string;
let env: NodeJS.ProcessEnv;
const running: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "aggregator demo's "));
  env = bareVariables(folder, await freePorts(2));
});
afterAll(async () => {
  for (const child of running) child.kill('SIGTERM');
  await rm(folder, { recursive: true, force: true });
});

/** Resolves when the demo has printed its lines. */
async function startDemo(): Promise<Demo> {
  const program = ['shared/runtime/cli/launch.mjs', 'test/simulator/demo.ts'];
  const child = spawn(process.execPath, program, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.push(child);
  const closed = once(child, 'close');
  const lines = new Promise<string>((resolve, reject) => {
    let said = '';
    const hear = (text: string) => {
      said += text;
      const found = /^Paste these lines into a shell:\n\n([\s\S]*?)\n\nCtrl-C ends the demo\.$/m.exec(said);
      if (found?.[1]) resolve(found[1]);
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    child.once('close', (code) => reject(new Error(`the demo ended with ${code}: ${said}`)));
  });
  const stop = async () => {
    child.kill('SIGINT');
    const [code] = await closed;
    return code;
  };
  return { lines: await lines, stop };
}

/** One answer a line. */
async function paste(lines: string): Promise<Json[]> {
  const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', lines], {
    env,
  });
  expect(stderr).toBe('');
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const namesIn = ({ services }: Json): string[] => services.map(({ name }: Json) => name);

function expectServicesAndConnection([north, south, west, connection, ...more]: Json[]): void {
  expect(more).toEqual([]);
  expect(namesIn(north)).toEqual(['Accounting', 'Office']);
  expect(namesIn(south)).toEqual(['Design studio']);
  expect(south.sites[0].took_ms).toBeGreaterThanOrEqual(800);
  // West fails in every third minute, and then says so.
  if (west.status === 503) expect(west.sites).toMatchObject([{ site_uri: 'west', status: 'error' }]);
  else expect(namesIn(west)).toEqual(['Classroom']);
  expect(connection).toMatchObject({ protocol: 'rdp', port: 3389, username: 'alice', domain: 'demo' });
  expect(connection.password).toMatch(/^\S{16,}$/);
}

describe('npm run demo', () => {
  it.each([
    'on an empty folder',
    'on the same folder once more',
  ])('%s prints lines that log in, list services and get a connection; Ctrl-C ends it', async () => {
    const demo = await startDemo();
    expectServicesAndConnection(await paste(demo.lines));
    expect(await demo.stop()).toBe(0);
  }, 60_000);

  it('ends with 1 and the line of the portal when that cannot start', async () => {
    env = { ...env, PORTAL_NAME: 'x'.repeat(300) };
    await expect(startDemo()).rejects.toThrow(
      /^the demo ended with 1: Starting the portal[^\n]*\nPORTAL_NAME: at most 253 characters\n$/,
    );
  });
});
