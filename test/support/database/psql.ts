import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { outputOf } from '../processes/output.ts';

/** A session of `psql`, a client that is independent of this project. */
export type Psql = {
  /** Runs statements, and resolves when they have ended. */
  run(sql: string): Promise<void>;
  /** Ends the session with its transaction and locks. */
  end(): Promise<void>;
};

export function startPsql(url: string): Psql {
  const child = spawn('psql', ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', `--dbname=${url}`], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output = outputOf(child);
  child.stdin.on('error', () => undefined);
  const exited = once(child, 'exit');
  let runs = 0;
  return {
    run: async (sql) => {
      const mark = `done ${++runs}`;
      child.stdin.write(`${sql}\n\\echo ${mark}\n`);
      while (!output.stdout.includes(mark)) {
        await Promise.race([once(child.stdout, 'data'), exited]);
        if (child.exitCode !== null && !output.stdout.includes(mark))
          throw new Error(`psql ended: ${output.stderr}`);
      }
    },
    end: async () => {
      child.stdin.end();
      await exited;
    },
  };
}
