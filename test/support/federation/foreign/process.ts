import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../../../e2e/support/portal-process.ts';
import { createAuthority } from '../../../simulator/authority.ts';
import { endOf, outputOf, untilListening } from '../../processes/output.ts';

/** A person as foreign providers know them. */
export type ForeignPerson = {
  username: string;
  password: string;
  name: string;
  email: string;
  groups: string[];
};

export const ada: ForeignPerson = {
  username: 'ada',
  password: 'correct horse battery staple',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  groups: ['engineers', 'authors'],
};

/** How a provider is started. */
export type ForeignProgram = {
  name: string;
  command: readonly [string, ...string[]];
  env?: Record<string, string>;
  /** Its output contains this text shortly before or after it listens. */
  ready: string;
};

export type ForeignServer = {
  /** `https://localhost:<port>`. */
  origin: string;
  caPem: string;
  stop(): Promise<void>;
};

/**
 * Starts a provider in a temporary folder, which has `cert.pem` and `key.pem` for `localhost`. Another process may take the port
 * before the provider listens, so it is tried again with another one.
 * @param programAt writes the configuration
 */
export async function startForeignServer(
  programAt: (folder: string, port: number) => Promise<ForeignProgram>,
): Promise<ForeignServer> {
  const folder = await mkdtemp(join(tmpdir(), 'provider-'));
  const authority = await createAuthority('Foreign provider');
  const { cert, key } = await authority.issue();
  await writeFile(join(folder, 'cert.pem'), cert);
  await writeFile(join(folder, 'key.pem'), key);
  const { child, port } = await launchOnFreePort((given) => programAt(folder, given));
  return {
    origin: `https://localhost:${port}`,
    caPem: authority.caPem,
    stop: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function launchOnFreePort(
  programAt: (port: number) => Promise<ForeignProgram>,
  attempts = 3,
): Promise<{ child: ChildProcess; port: number }> {
  const [port = 0] = await freePorts(1);
  try {
    return { child: await launch(await programAt(port), port), port };
  } catch (error) {
    if (attempts === 1) throw error;
    return launchOnFreePort(programAt, attempts - 1);
  }
}

/** Resolves when the program accepts connections. @throws Error with its log if it ends before */
async function launch(
  { name, command: [file, ...parameters], env, ready }: ForeignProgram,
  port: number,
): Promise<ChildProcess> {
  const child = spawn(file, parameters, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const output = outputOf(child);
  const ended = endOf(child, output).then(({ code, stdout, stderr }) => {
    throw new Error(`${name} ended with ${code ?? child.signalCode}: ${stdout}${stderr}`);
  });
  const listening = new Promise<void>((resolve) => {
    const look = (): void => void (`${output.stdout}${output.stderr}`.includes(ready) && resolve());
    child.stdout.on('data', look);
    child.stderr.on('data', look);
  });
  // Its word may come before it listens, and a server that listens before its word is another one.
  await Promise.race([listening.then(() => untilListening(child, { port })), ended]);
  ended.catch(() => undefined);
  return child;
}
