import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareVariables, freePorts, root } from './portal-process.ts';

/** The output of a running demo, and the lines in it that are to be pasted. */
export type Demo = { output: string; lines: string; stop(): Promise<number | null> };

/** A folder for demos, one after the other. */
export type DemoFolder = {
  env: NodeJS.ProcessEnv;
  /** Resolves when the demo has printed its lines. @throws Error with its output if it ends before */
  start(variables?: NodeJS.ProcessEnv): Promise<Demo>;
  /** Ends all demos, and deletes the folder. */
  remove(): Promise<void>;
};

const printed =
  /^Paste these commands into a shell:\n\n([\s\S]*?)\n\nThe file .* contains the same commands\.\nPress Ctrl-C to stop the demo\.$/m;

export async function createDemoFolder(): Promise<DemoFolder> {
  const folder = await mkdtemp(join(tmpdir(), "aggregator demo's "));
  const [port = 0, healthPort = 0, dispatcherPort] = await freePorts(3);
  const env = {
    ...bareVariables(folder, [port, healthPort]),
    DEMO_DISPATCHER_PORT: String(dispatcherPort),
  };
  const running: ChildProcess[] = [];
  return {
    env,
    start: (variables) => {
      const child = launchDemo({ ...env, ...variables });
      running.push(child);
      return demoOf(child);
    },
    remove: async () => {
      for (const child of running) child.kill('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const launchDemo = (env: NodeJS.ProcessEnv) =>
  spawn(process.execPath, ['shared/tooling/launch.mjs', 'test/simulator/demo/demo.ts'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });

async function demoOf(child: ReturnType<typeof launchDemo>): Promise<Demo> {
  const closed = once(child, 'close');
  const shown = new Promise<Pick<Demo, 'output' | 'lines'>>((resolve, reject) => {
    let output = '';
    const collect = (text: string) => {
      output += text;
      const lines = printed.exec(output)?.[1];
      if (lines) resolve({ output, lines });
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    child.once('close', (code) => reject(new Error(`the demo ended with ${code}: ${output}`)));
  });
  const stop = async () => {
    child.kill('SIGINT');
    const [code] = await closed;
    return code;
  };
  return { ...(await shown), stop };
}
