import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ownDataFolder } from '../../../shared/tooling/start/data-folder.ts';
import { bareVariables, freePorts, isFree, root, startPortal } from '../../e2e/support/portal-process.ts';
import { outputOf } from '../../support/processes/output.ts';
import { processesWith } from '../../support/processes/process-list.ts';
import { requireService } from '../../support/services.ts';

const launcher = ['shared/tooling/launch.mjs', 'functions/all.ts', '--json'];
const patient = { timeout: 30_000, interval: 20 };

/** A separate installation, whose processes are found by its data folder. */
type Place = { folder: string; ports: number[]; env: NodeJS.ProcessEnv };
type Start = Place & { child: ChildProcess; ended: Promise<unknown>; errors: () => string };

let parent: string;
let places = 0;

async function newPlace(): Promise<Place> {
  const folder = join(parent, `place-${places++}`);
  const ports = await freePorts(2);
  return { folder, ports, env: bareVariables(folder, ports) };
}

function start(place: Place, command = launcher): Start {
  const child = spawn(process.execPath, command, {
    cwd: root,
    env: place.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const output = outputOf(child);
  // After the last process that has standard error open.
  return { ...place, child, ended: once(child, 'close'), errors: () => output.stderr };
}

const processesOf = ({ folder }: Place) => processesWith(`DATA_DIR=${folder}\0`);
const processOf = (place: Place, program: string) =>
  processesOf(place).find(({ command }) => command.includes(`node `) && command.includes(program));
/** Waits until the program runs, before its modules are loaded. */
const appearance = (place: Place, program: string) =>
  vi.waitFor(() => processOf(place, program)?.pid ?? expect.fail(`${program} does not run`), patient);

async function expectNothingLeft(place: Place): Promise<void> {
  expect(processesOf(place)).toEqual([]);
  expect(await Promise.all(place.ports.map(isFree))).toEqual([true, true]);
  for (const folder of [place.folder, join(place.folder, 'database')]) ownDataFolder(folder).release();
}

const isLinux = process.platform === 'linux';
requireService('/proc', isLinux)('a signal to the portal', () => {
  vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });
  /** From the command to the announcement, on an empty folder. */
  let startMs: number;
  let used: Place;

  beforeAll(async () => {
    parent = mkdtempSync(join(tmpdir(), 'start-signals-'));
    used = await newPlace();
    const portal = await startPortal({ env: used.env });
    startMs = portal.startMs;
    await portal.stop();
  });
  afterAll(() => rmSync(parent, { recursive: true, force: true }));

  it('at any moment of the start leaves no process, no locked folder and no used port', async () => {
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    // Random within equal parts of the start, so that all of it is covered: of a first start, then of later ones.
    const moments = [2, 3].flatMap((parts) =>
      Array.from({ length: parts }, (_, at) => ((at + Math.random()) / parts) * startMs),
    );
    for (const [at, moment] of moments.entries()) {
      const place = at < 2 ? await newPlace() : used;
      const signal = signals[at % signals.length] ?? 'SIGTERM';
      const afterMs = Math.round(moment);
      const { child, ended, errors } = start(place);
      await delay(afterMs);
      child.kill(signal);
      await ended;
      expect.soft(errors(), `${signal} after ${afterMs} ms`).toBe('');
      await expectNothingLeft(place);
    }
    const again = await startPortal({ env: used.env });
    await again.stop();
  });

  it('at any moment of the start of npm run workers leaves no process and no folder', async () => {
    const temporary = mkdtempSync(join(parent, 'temporary-'));
    // The throwaway PostgreSQL of root runs as another user.
    chmodSync(parent, 0o755);
    chmodSync(temporary, 0o777);
    const [port = 0, health = 0] = await freePorts(2);
    const env = { ...bareVariables(join(temporary, 'data'), [port, health]), TMPDIR: temporary };
    const left = () => readdirSync(temporary).filter((name) => name !== 'data');
    const place = { folder: join(temporary, 'data'), ports: [port, health], env };
    const workers = ['shared/tooling/launch.mjs', 'shared/tooling/workers/workers.ts', '--json'];
    const stages = [/^aggregator-postgres-/, /^miniflare-/];
    for (const stage of stages) {
      const { child, ended, errors } = start(place, workers);
      await vi.waitFor(() => expect(left()).toContainEqual(expect.stringMatching(stage)), patient);
      await delay(Math.random() * 500);
      child.kill('SIGTERM');
      await ended;
      expect.soft(errors(), String(stage)).toBe('');
      await vi.waitFor(() => expect(processesWith(temporary)).toEqual([]), patient);
      expect(left(), String(stage)).toEqual([]);
    }
  });

  it.each([
    'SIGINT',
    'SIGTERM',
    'SIGHUP',
  ] as const)('%s while the sidecar starts leaves no process', async (signal) => {
    const started = start(used);
    await appearance(used, 'health/main.mjs');
    started.child.kill(signal);
    await started.ended;
    await expectNothingLeft(used);
  });

  it('kill -9 of the portal while the sidecar starts leaves no process', async () => {
    const started = start(used);
    await appearance(used, 'health/main.mjs');
    process.kill(await appearance(used, '/functions/all.mjs'), 'SIGKILL');
    await started.ended;
    await vi.waitFor(() => expectNothingLeft(used), patient);
  });

  it('kill -9 of the portal ends a frozen sidecar, which releases its port', async () => {
    const portal = await startPortal({ env: used.env });
    process.kill(await appearance(used, 'health/main.mjs'), 'SIGSTOP');
    process.kill(portal.announcement.pid, 'SIGKILL');
    await portal.ended;
    await vi.waitFor(() => expectNothingLeft(used), patient);
  });

  it('a normal stop ends with 0 and kills a frozen sidecar', async () => {
    const portal = await startPortal({ env: used.env });
    process.kill(await appearance(used, 'health/main.mjs'), 'SIGSTOP');
    portal.signal('SIGTERM');
    expect(await portal.ended).toMatchObject({ code: 0, stderr: '' });
    await expectNothingLeft(used);
  });
});
