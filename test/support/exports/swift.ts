import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { S3Config } from '../../../shared/remotes/object-store/s3-config.ts';
import {
  createS3Client,
  type S3Client,
  sendS3Request,
} from '../../../shared/remotes/object-store/s3-requests.ts';
import { freePorts } from '../../e2e/support/portal-process.ts';
import { type Ports, ringsScript, serverScript, swiftFiles } from './swift-config.ts';

/** The system Python: another one does not find Debian's modules. */
const python = '/usr/bin/python3';
const servers = ['account', 'container', 'object', 'proxy'] as const;
const program = (server: string) => `/usr/bin/swift-${server}-server`;
export const hasSwift = servers.map(program).every((path) => existsSync(path));

/** OpenStack's object store with its S3 interface, which checks every signature. */
export type Swift = {
  config: S3Config;
  /** Of complete objects. */
  keys(): Promise<string[]>;
  /** Keys of uploads that are neither complete nor aborted. */
  uploads(): Promise<string[]>;
  stop(): Promise<void>;
};

const user = { account: 'test', name: 'tester', secret: 'secret-of-the-object-store' };

/** A throwaway Swift on free ports of this machine, with one copy of each object, and an empty bucket. */
export async function startSwift(): Promise<Swift> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-swift-'));
  const [account = 0, container = 0, object = 0, proxy = 0] = await freePorts(4);
  const ports: Ports = { account, container, object, proxy };
  await mkdir(join(folder, 'devices', 'd1'), { recursive: true });
  const files = swiftFiles({ folder, ports, user, owner: userInfo().username });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const { account: a, container: c, object: o } = ports;
  await ended(spawn(python, ['-c', ringsScript, folder, `${a}`, `${c}`, `${o}`], { stdio: 'inherit' }));
  const children = servers.map((server) => {
    const configuration = join(folder, `${server}-server.conf`);
    const args = ['-c', serverScript, join(folder, 'swift.conf'), program(server), configuration];
    return spawn(python, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  });
  const config: S3Config = {
    endpoint: `http://127.0.0.1:${proxy}`,
    bucket: 'exported',
    region: 'us-east-1',
    accessKeyId: `${user.account}:${user.name}`,
    secretAccessKey: user.secret,
  };
  const asker = createS3Client(config, {});
  await Promise.all(Object.values(ports).map(listens));
  await sendS3Request(asker, 'PUT', '', {});
  return {
    config,
    keys: () => listed(asker, {}),
    uploads: () => listed(asker, { uploads: '' }),
    stop: async () => {
      await Promise.all(children.map(killed));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function listed(asker: S3Client, query: Record<string, string>): Promise<string[]> {
  const text = await (await sendS3Request(asker, 'GET', '', { query })).text();
  return [...text.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = '']) => key);
}

async function ended(child: ChildProcess): Promise<void> {
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`the rings of swift could not be made: ${code}`);
}

function killed(child: ChildProcess): Promise<unknown> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  child.kill('SIGKILL');
  return gone;
}

/** Retries until a connection is accepted; the time limit of the test ends it otherwise. */
async function listens(port: number): Promise<void> {
  const isThere = await new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => socket.end(() => resolve(true)));
    socket.once('error', () => resolve(false));
  });
  if (isThere) return;
  await new Promise((resolve) => setTimeout(resolve, 50));
  await listens(port);
}
