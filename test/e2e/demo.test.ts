import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failsFrom, isFailing } from '../simulator/demo/sites.ts';
import type { Json } from './support/api.ts';
import { bareVariables, freePorts, root } from './support/portal-process.ts';

type Demo = { output: string; lines: string; stop(): Promise<number | null> };

let folder: string;
let env: NodeJS.ProcessEnv;
const running: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "aggregator demo's "));
  const [port = 0, healthPort = 0, dispatcherPort] = await freePorts(3);
  env = {
    ...bareVariables(folder, [port, healthPort]),
    DEMO_DISPATCHER_PORT: String(dispatcherPort),
  };
});
afterAll(async () => {
  for (const child of running) child.kill('SIGTERM');
  await rm(folder, { recursive: true, force: true });
});

/** Resolves when the demo has printed its lines. */
async function startDemo(): Promise<Demo> {
  const program = ['shared/tooling/launch.mjs', 'test/simulator/demo/demo.ts'];
  const child = spawn(process.execPath, program, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.push(child);
  const closed = once(child, 'close');
  const shown = new Promise<Pick<Demo, 'output' | 'lines'>>((resolve, reject) => {
    let output = '';
    const hear = (text: string) => {
      output += text;
      const found =
        /^Paste these commands into a shell:\n\n([\s\S]*?)\n\nThe file .* contains the same commands\.\nPress Ctrl-C to stop the demo\.$/m.exec(
          output,
        );
      if (found?.[1]) resolve({ output, lines: found[1] });
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    child.once('close', (code) => reject(new Error(`the demo ended with ${code}: ${output}`)));
  });
  const stop = async () => {
    child.kill('SIGINT');
    const [code] = await closed;
    return code;
  };
  return { ...(await shown), stop };
}

/** One response per line. */
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

function expectServicesAndConnection([north, south, , connection, ...more]: Json[]): void {
  expect(more).toEqual([]);
  expect(namesIn(north)).toEqual(['Accounting', 'Office']);
  expect(namesIn(south)).toEqual(['Design studio']);
  expect(south.sites[0].took_ms).toBeGreaterThanOrEqual(800);
  expect(connection).toMatchObject({ protocol: 'rdp', port: 3389, username: 'alice', domain: 'demo' });
  expect(connection.password).toMatch(/^\S{16,}$/);
}

/** The services of the list of West, with the state of each farm. */
const westIn = ([, , west]: Json[]) => ({
  services: namesIn(west),
  farms: Object.fromEntries(west.sites.map(({ farm_name, status }: Json) => [farm_name, status])),
});

describe('npm run demo', () => {
  it('prints lines that log in, list services and get a connection, and a partial list while a farm fails', async () => {
    env = { ...env, DEMO_WEST_FAILS: 'always' };
    const demo = await startDemo();
    expect(demo.output).toContain('\nWest farm fails always\n');
    expect(demo.output).toMatch(/^In a browser: https:\S+\/signin, /m);
    const answers = await paste(demo.lines);
    expectServicesAndConnection(answers);
    expect(westIn(answers)).toEqual({
      services: ['Library'],
      farms: { 'West annex': 'ok', 'West farm': expect.stringMatching(/^(?:error|circuit_open)$/) },
    });
    expect(await demo.stop()).toBe(0);
  }, 180_000);

  it('starts on the same folder once more; a farm that is well again is in the list', async () => {
    env = { ...env, DEMO_WEST_FAILS: 'never' };
    const demo = await startDemo();
    const ask = async () => {
      const answers = await paste(demo.lines);
      expectServicesAndConnection(answers);
      return westIn(answers);
    };
    // The circuit breaker of its node may still be open: it is probed every five seconds.
    await expect.poll(ask, { timeout: 30_000, interval: 1_000 }).toEqual({
      services: ['Classroom', 'Library'],
      farms: { 'West annex': 'ok', 'West farm': 'ok' },
    });
    expect(await demo.stop()).toBe(0);
  }, 180_000);

  it('fails in every third minute of the clock, and prints the next failure', () => {
    const at = Date.parse('2026-01-01T00:00:30.000Z');
    const minutes = [0, 1, 2, 3, 4, 5].map((n) => isFailing('every_third_minute', at + n * 60_000));
    expect(minutes.filter(Boolean)).toHaveLength(2);
    for (const n of [0, 1, 2, 3]) {
      const from = failsFrom(at + n * 60_000).getTime();
      expect([isFailing('every_third_minute', from - 1), isFailing('every_third_minute', from)]).toEqual([
        false,
        true,
      ]);
      expect(from + 60_000).toBeGreaterThan(at + n * 60_000);
    }
  });

  it('exits with 1 and the error of the portal when that cannot start', async () => {
    env = { ...env, PORTAL_NAME: 'x'.repeat(300) };
    await expect(startDemo()).rejects.toThrow(
      /^the demo ended with 1: Starting the portal[^\n]*\nPORTAL_NAME: must be at most 253 characters\n$/,
    );
  }, 60_000);
});
