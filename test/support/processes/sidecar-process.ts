import { type ChildProcess, spawn } from 'node:child_process';
import { connectPg } from '../../../db/pg.ts';
import { claimKeyCheck } from '../../../db/repositories/settings/secret-key-check.ts';
import { createSealer } from '../../../shared/kernel/crypto/sealing.ts';
import { sealKeyCheck } from '../../../shared/runtime/config/secret-key.ts';
import { newSecretKey, newSigningKey } from '../identity/signing-keys.ts';
import { accessKeys } from '../monitoring/health-port.ts';
import { programVariables } from '../program-variables.ts';
import { programFile } from './programs.ts';

export const secretKey = newSecretKey();
export const signingKey = newSigningKey();

export type Sidecar = {
  url: string;
  pid: number;
  /** Its logged warnings and errors. */
  errors(): string;
  stop(): Promise<{ code: number | null; errors: string }>;
  signal(name: NodeJS.Signals): void;
  /** Simulates a power failure. */
  kill(): Promise<void>;
};

export type Launched = ChildProcess & { errors: () => string };
type Place = { databaseUrl: string; folder: string };

/** A sidecar as a separate process; `env` extends its environment. */
export function launchSidecar({ databaseUrl, folder }: Place, env: Record<string, string> = {}): Launched {
  const child = spawn(process.execPath, [programFile('functions/health/main.ts')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...programVariables,
      DATA_DIR: folder,
      DATABASE_URL: databaseUrl,
      HEALTH_PORT: '0',
      SECRET_KEY: secretKey,
      AGGREGATOR_JWT_SSL_KEY: signingKey,
      HEALTH_CHECK_ACCESS_KEY: accessKeys.check,
      METRICS_ACCESS_KEY: accessKeys.metrics,
      ALLOWED_PRIVATE_NETWORKS: '127.0.0.0/8',
      LOG_LEVEL: 'warn',
      ...env,
    },
  });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  return Object.assign(child, { errors: () => errors });
}

export const exitOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => child.once('exit', (code) => resolve(code)));

/** The check value that a portal with `secretKey` writes; the jobs of a sidecar wait for it. */
async function claimKey(databaseUrl: string): Promise<void> {
  const { db, close } = connectPg({ url: databaseUrl, maxConnections: 1 });
  const sealer = await createSealer([secretKey]);
  await claimKeyCheck(db, await sealKeyCheck(sealer)).finally(close);
}

/** Resolves with the first line of standard output, the ready message. */
export async function startSidecar(place: Place, env: Record<string, string> = {}): Promise<Sidecar> {
  await claimKey(place.databaseUrl);
  const child = launchSidecar(place, env);
  const exited = exitOf(child);
  const line = new Promise<string>((resolve) => {
    child.stdout?.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
  });
  const first = await Promise.race([line, exited.then(() => `no line, but: ${child.errors()}`)]);
  const { ready, health_url: url } = JSON.parse(first);
  if (ready !== true) throw new Error(`not ready: ${first}`);
  return {
    url,
    pid: child.pid ?? 0,
    errors: child.errors,
    stop: async () => {
      child.kill('SIGTERM');
      return { code: await exited, errors: child.errors() };
    },
    signal: (name) => void child.kill(name),
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
