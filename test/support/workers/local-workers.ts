import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePorts } from '../../e2e/support/portal-process.ts';
import { newKeyVariables } from '../identity/signing-keys.ts';
import { programFile } from '../processes/programs.ts';
import { programVariables } from '../program-variables.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as the tests expect them; a wrong guess fails the test
export type Json = any;
export type Answer = { status: number; headers: Headers; body: Json };
export type Asking = {
  token?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

export type LocalPortal = {
  url: string;
  pid: number;
  /** From the command to the announcement. */
  startMs: number;
  /** Lines of standard error so far. */
  errors: readonly string[];
  send(route: string, asking?: Asking): Promise<Answer>;
  /** Ends it by SIGTERM. @returns its exit code */
  stop(): Promise<number | null>;
};

type Place = { folder: string; databaseUrl: string; password: string };

/** Variables of Workers with new keys, a free port and the administrator `admin`. */
export async function workersVariables({ folder, databaseUrl, password }: Place) {
  const [port = 0] = await freePorts(1);
  return {
    ...programVariables,
    ...newKeyVariables(),
    HOME: folder,
    DATA_DIR: join(folder, 'data'),
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    ADMIN_PASSWORD: password,
  };
}

/** `npm run workers` with all its variables. @throws Error with its output when it ends instead */
export async function startWorkers(env: NodeJS.ProcessEnv): Promise<LocalPortal> {
  const started = performance.now();
  const args = [programFile('shared/tooling/workers/workers.ts'), '--json'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const errors: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const { base_url: url, pid } = await Promise.race([
    announcementOf(child),
    ended.then((code) => {
      throw new Error(`the Workers ended with ${code}: ${errors.join('\n')}`);
    }),
  ]);
  return {
    url,
    pid,
    errors,
    startMs: Math.round(performance.now() - started),
    send: (route, asking) => send(url, route, asking),
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** `send(url, 'POST /api/…', { token, body })`; a body is JSON unless it is text. */
export async function send(
  url: string,
  route: string,
  { token, body, headers, signal }: Asking = {},
): Promise<Answer> {
  const [method = 'GET', path = '/'] = route.split(' ');
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    signal: signal ?? null,
    headers: {
      ...(token && { 'x-auth-token': token }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

function announcementOf({ stdout }: ChildProcess): Promise<{ base_url: string; pid: number }> {
  return new Promise((resolve) => {
    if (!stdout) return;
    createInterface({ input: stdout }).on('line', (line) => {
      if (line.startsWith('{"base_url"')) resolve(JSON.parse(line));
    });
  });
}
