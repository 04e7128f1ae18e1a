import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { unstable_readConfig as readConfig } from 'wrangler';
import { root } from '../../e2e/support/portal-process.ts';
import { endOf } from '../../support/processes/output.ts';

/**
 * Milliseconds: from the start of the process until it listens, after the Worker program was evaluated; of
 * its first answer, and of its second; `total_ms` is from the start of the process to the first answer.
 */
export type WorkerStart = { listens_ms: number; first_ms: number; total_ms: number; second_ms: number };

/**
 * One start of workerd from npm with one Worker.
 * @param route an operation that returns 401, or 403 where there are no sessions, without a session
 * @throws Error for another status, or when it does not start
 */
export async function startWorkerd(
  file: string,
  route: string,
  variables: Readonly<Record<string, string>>,
): Promise<WorkerStart> {
  const config = `${file}.capnp`;
  await writeFile(config, configOf(basename(file), variables));
  const started = performance.now();
  const child = spawn(join(root, 'node_modules/.bin/workerd'), ['serve', config, '--control-fd=3'], {
    cwd: dirname(file),
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  // It prints warnings about the compatibility flags; the output matters only when it ends.
  const ended = endOf(child).then(({ code, stderr }) => `workerd ended with ${code}: ${stderr}`);
  const agent = new Agent({ keepAlive: true });
  try {
    const port = await portOf(child, ended);
    const listens_ms = performance.now() - started;
    const first_ms = await timeOf(agent, port, route);
    const second_ms = await timeOf(agent, port, route);
    return { listens_ms, first_ms, total_ms: listens_ms + first_ms, second_ms };
  } finally {
    agent.destroy();
    child.kill('SIGKILL');
    await ended;
  }
}

const { compatibility_date: date, compatibility_flags: flags } = readConfig({
  config: join(root, 'wrangler.toml'),
  env: 'userinfo',
});

/** A JSON string is a valid Cap'n Proto text. */
const configOf = (file: string, variables: Readonly<Record<string, string>>): string => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "${file}")],
  compatibilityDate = "${date}",
  compatibilityFlags = ${JSON.stringify(flags)},
  bindings = [${Object.entries(variables)
    .map(([name, value]) => `(name = "${name}", text = ${JSON.stringify(value)})`)
    .join(', ')}],
);
`;

async function portOf(child: ChildProcess, ended: Promise<string>): Promise<number> {
  const control = child.stdio[3];
  if (!(control instanceof Readable)) throw new Error('workerd has no control channel');
  const [line] = await Promise.race([
    once(createInterface({ input: control }), 'line'),
    ended.then((why) => {
      throw new Error(why);
    }),
  ]);
  const { port }: { port: number } = JSON.parse(String(line));
  return port;
}

/** From before the connection is opened or reused until the complete response. */
async function timeOf(agent: Agent, port: number, route: string): Promise<number> {
  const [method, path] = route.split(' ');
  const sent = performance.now();
  const asked = request({ agent, host: '127.0.0.1', port, method, path }).end();
  const [answer] = await once(asked, 'response');
  await once(answer.resume(), 'end');
  if (answer.statusCode !== 401 && answer.statusCode !== 403)
    throw new Error(`${route} was answered ${answer.statusCode}, not 401`);
  return performance.now() - sent;
}
