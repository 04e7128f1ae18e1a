import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Server, startEmbedded } from '../../support/database/pair.ts';
import { requireService } from '../../support/services.ts';

const patience = { timeout: 15_000 };
const isInstalled = spawnSync('psql', ['--version']).status === 0;

/** libpq's own client, against the embedded database. */
requireService('psql', isInstalled)('psql on the embedded database', () => {
  let server: Server;
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    server = await startEmbedded();
    environment = {
      PATH: process.env.PATH,
      PGHOST: new URL(server.urlOf('lena')).searchParams.get('host') ?? '',
      PGUSER: 'lena',
      PGDATABASE: 'postgres',
      LC_ALL: 'C.UTF-8',
    };
  });
  afterAll(() => server?.stop());

  class Psql {
    readonly process: ChildProcess;
    output = '';
    readonly #ended: Promise<unknown>;

    constructor(args: string[], variables: Record<string, string> = {}) {
      const env = { ...environment, ...variables };
      this.process = spawn('psql', ['-X', '-A', '-t', ...args], { env, stdio: 'pipe' });
      for (const stream of [this.process.stdout, this.process.stderr]) {
        stream?.setEncoding('utf8').on('data', (text: string) => {
          this.output += text;
        });
      }
      this.#ended = once(this.process, 'close');
    }

    async end(): Promise<string> {
      this.process.stdin?.end();
      await this.#ended;
      return this.output;
    }
  }

  const psql = (args: string[], variables?: Record<string, string>) => new Psql(args, variables).end();
  const commands = (...texts: string[]) => texts.flatMap((text) => ['-c', text]);

  it('accepts PGOPTIONS and the role of PGUSER', async () => {
    const options = '-c statement_timeout=7s -c lock_timeout=900 --work-mem=8MB';
    const texts = [
      'select session_user',
      'show statement_timeout',
      'show lock_timeout',
      'show work_mem',
      'reset all',
    ];
    expect(await psql(commands(...texts, 'show work_mem'), { PGOPTIONS: options })).toBe(
      'lena\n7s\n900ms\n8MB\nRESET\n8MB\n',
    );
    expect(await psql(commands('show statement_timeout', 'show application_name'))).toBe('0\npsql\n');
  });

  it.each([
    [{ PGUSER: 'stranger' }, 'FATAL:  role "stranger" does not exist'],
    [{ PGUSER: 'guest' }, 'FATAL:  role "guest" is not permitted to log in'],
    [{ PGDATABASE: 'elsewhere' }, 'FATAL:  database "elsewhere" does not exist'],
    [{ PGOPTIONS: '-c lock_timeout=long' }, 'FATAL:  invalid value for parameter "lock_timeout": "long"'],
    [{ PGOPTIONS: '-c nothing=1' }, 'FATAL:  unrecognized configuration parameter "nothing"'],
    [{ PGOPTIONS: '-c log_statement=all' }, 'FATAL:  permission denied to set parameter "log_statement"'],
  ])('is refused with %j', async (variables, message) => {
    expect(await psql(commands('select 1'), variables)).toContain(message);
  });

  it('lists tables, and reports the user of its session', async () => {
    const text = await psql(commands('\\dt', '\\conninfo'));
    expect(text).toContain('public|notes|table|');
    expect(text).toContain('You are connected to database "postgres" as user "lena" via socket');
  });

  it('receives notifications, with the process ID of the sender', async () => {
    const listener = new Psql(['-f', '-']);
    listener.process.stdin?.write('listen news;\n');
    await expect.poll(() => listener.output, patience).toContain('LISTEN');
    const sender = new pg.Client({ connectionString: server.urlOf('omar') });
    await sender.connect();
    await sender.query(`notify news, 'one'`);
    const { processID } = sender as unknown as { processID: number };
    await sender.end();
    listener.process.stdin?.write('select 1;\n');
    expect(await listener.end()).toContain(
      `Asynchronous notification "news" with payload "one" received from server process with PID ${processID}.`,
    );
    expect(await psql(commands('listen a; notify a', 'unlisten *', 'notify a'))).toMatch(
      /^LISTEN\nNOTIFY\n.*"a".*\nUNLISTEN\nNOTIFY\n$/s,
    );
  });

  it('cancels a waiting statement by Ctrl-C', async () => {
    const holder = new pg.Client({ connectionString: server.urlOf('lena') });
    await holder.connect();
    try {
      await holder.query('begin');
      const waiting = new Psql(['-e', '-c', 'update notes set text = text']);
      // psql ends when it is interrupted before it sends the statement, which it prints first.
      await expect.poll(() => waiting.output, patience).toContain('update notes');
      const interrupted = () => {
        waiting.process.kill('SIGINT');
        return waiting.output;
      };
      await expect.poll(interrupted, patience).toContain('ERROR:  canceling statement due to user request');
      await waiting.end();
    } finally {
      await holder.end();
    }
  });

  it('is refused statements that one session cannot run for all clients', async () => {
    const texts = [
      'discard all',
      'deallocate all',
      'close all',
      'begin; copy notes from stdin',
      'rollback',
      '\\copy notes to stdout',
    ];
    const text = await psql(commands(...texts, 'set role omar', 'select 1'));
    for (const name of ['DISCARD ALL and DISCARD TEMP', 'DEALLOCATE ALL', 'CLOSE ALL', 'COPY FROM STDIN']) {
      expect(text).toMatch(new RegExp(`ERROR:  ${name} (?:is|are) not available`));
    }
    expect(text).toContain('1\tone');
    expect(text).toContain('ERROR:  cannot set parameter "role"');
    expect(text).toMatch(/\n1\n$/);
  });
});
