import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failsFrom, isFailing } from '../simulator/demo/sites.ts';
import type { Json } from './support/api.ts';
import { createDemoFolder, type DemoFolder } from './support/demo.ts';

let folder: DemoFolder;
beforeAll(async () => {
  folder = await createDemoFolder();
});
afterAll(() => folder?.remove());

/** One response per line. */
async function paste(lines: string): Promise<Json[]> {
  const shell = ['--norc', '-euo', 'pipefail', '-c', lines];
  const { stdout, stderr } = await promisify(execFile)('bash', shell, { env: folder.env });
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
    const demo = await folder.start({ DEMO_WEST_FAILS: 'always' });
    expect(demo.output).toContain('\nWest farm fails always\n');
    expect(demo.output).toMatch(/^In a browser: https:\S+\/, as alice /m);
    const answers = await paste(demo.lines);
    expectServicesAndConnection(answers);
    expect(westIn(answers)).toEqual({
      services: ['Library'],
      farms: { 'West annex': 'ok', 'West farm': expect.stringMatching(/^(?:error|circuit_open)$/) },
    });
    expect(await demo.stop()).toBe(0);
  }, 180_000);

  it('starts on the same folder once more; a farm that is well again is in the list', async () => {
    const demo = await folder.start({ DEMO_WEST_FAILS: 'never' });
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
    await expect(folder.start({ PORTAL_NAME: 'x'.repeat(300) })).rejects.toThrow(
      /^the demo ended with 1: Starting the portal[^\n]*\nPORTAL_NAME: must be at most 253 characters\n$/,
    );
  }, 60_000);
});
