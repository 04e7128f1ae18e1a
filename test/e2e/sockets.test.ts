import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, connectSilent, descriptorsOf } from '../support/processes/server-process.ts';
import { type Api, createApi } from './support/api.ts';
import { bareVariables, freePorts, type PortalProcess, startPortal } from './support/portal-process.ts';

let folder: string;
let portal: PortalProcess;
let api: Api;
/** Of the portal and of its sidecar. */
let processes: { name: string; port: number; pid: number }[];
const clients: Client[] = [];

/** A child process of another one. */
function childOf(parent: number): number {
  const isChild = (pid: string): boolean => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      return Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ')[0]) === parent;
    } catch {
      // It has ended meanwhile.
      return false;
    }
  };
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return Number(pids.find(isChild));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aggregator-sockets-'));
  portal = await startPortal({ env: bareVariables(folder, await freePorts(2)) });
  const { base_url, health_url, ca_file, pid } = portal.announcement;
  api = createApi(base_url, readFileSync(ca_file, 'utf8'));
  processes = [
    { name: 'portal', port: Number(new URL(base_url).port), pid },
    { name: 'sidecar', port: Number(new URL(health_url).port), pid: childOf(pid) },
  ];
});
afterAll(async () => {
  for (const { socket } of clients) socket.destroy();
  await api?.close();
  await portal?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function silent(port: number, count: number, from?: string): Promise<Client[]> {
  const some = await connectSilent(port, count, from);
  clients.push(...some);
  return some;
}

describe('npm start', () => {
  it('releases the descriptors of silent clients on both ports', async () => {
    const baselines = processes.map(({ pid }) => descriptorsOf(pid));
    const some = await Promise.all(processes.map(({ port }) => silent(port, 900)));
    expect((await api.send('GET /livez')).status).toBe(200);
    // After the handshake timeout of 10 s the servers close them; the clients close nothing.
    await Promise.all(some.flat().map(({ closed }) => closed));
    // The pools of database connections may have grown meanwhile.
    for (const [at, { name, pid }] of processes.entries())
      await expect
        .poll(() => descriptorsOf(pid), { timeout: 10_000, message: name })
        .toBeLessThan((baselines[at] ?? 0) + 200);
  }, 90_000);

  it('ends soon after SIGTERM with thousands of half-open sockets', async () => {
    for (const { port } of processes)
      for (const from of ['127.0.0.1', '127.0.0.2']) await silent(port, 1_000, from);
    const before = performance.now();
    portal.signal('SIGTERM');
    const { code, stderr } = await portal.ended;
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('stopped before all was finished')]);
    // The grace period for running requests is 8 s, and 10 s in all.
    expect(performance.now() - before).toBeLessThan(7_000);
  }, 60_000);
});
