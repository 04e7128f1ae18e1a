import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedDatabase } from '../../../shared/tooling/embedded/database.ts';
import { findBinaries, startThrowawayPostgres } from '../../../shared/tooling/start/throwaway-postgres.ts';

/** A database server with the roles `lena` and `omar`, which own nothing, and `guest`, which cannot log in. */
export type Server = { name: string; urlOf(role: string): string; stop(): Promise<void> };

export const postgresBinaries = findBinaries();

/** The embedded database and a PostgreSQL of this machine, with the same roles. */
export async function startPair(): Promise<{ embedded: Server; postgres: Server }> {
  const [embedded, postgres] = await Promise.all([startEmbedded(), startPostgres()]);
  return { embedded, postgres };
}

export async function startEmbedded(): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'embedded-'));
  const { superuserUrl: url, stop } = await startEmbeddedDatabase({ folder });
  await prepare(url);
  return {
    name: 'embedded',
    urlOf: (role) => Object.assign(new URL(url), { username: role }).href,
    stop: () => stop().finally(() => rm(folder, { recursive: true, force: true })),
  };
}

async function startPostgres(): Promise<Server> {
  const { url, stop } = await startThrowawayPostgres(postgresBinaries ?? '');
  await query(url, 'create role postgres login superuser');
  await prepare(url);
  const urlOf = (role: string) => Object.assign(new URL(url), { username: role }).href;
  return { name: 'PostgreSQL', urlOf, stop };
}

async function prepare(url: string): Promise<void> {
  await query(
    url,
    `create role lena login; create role omar login; create role guest;
    create table notes (id int primary key, text text); insert into notes values (1, 'one');
    grant all on notes to lena; grant create on schema public to lena; grant temporary on database postgres to lena`,
  );
}

async function query(url: string, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statements).finally(() => client.end());
}

/**
 * A step of a script: a connection (`user` and further settings of `pg`), a statement that is awaited, a statement
 * that is only sent, the result of that one, a cancel request for it, or the notifications received so far.
 */
export type Step =
  | { client: string; connect: { user: string } & pg.ClientConfig }
  | { client: string; run: string; values?: unknown[] }
  | { client: string; send: string; values?: unknown[] }
  | { client: string; finish: true }
  | { client: string; cancel: true }
  | { client: string; notifications: true }
  | { client: string; closed: true };

/** Runs a script. @returns one line for each step with an outcome: rows and tags, or severity and SQLSTATE */
export async function transcribe(server: Server, steps: readonly Step[]): Promise<string[]> {
  const actors = new Map<string, Actor>();
  const lines: string[] = [];
  try {
    for (const step of steps) {
      const actor = actors.get(step.client) ?? new Actor();
      actors.set(step.client, actor);
      const outcome = await actor.act(server, step);
      if (outcome !== undefined) lines.push(`${step.client}: ${outcome}`);
    }
    return lines;
  } finally {
    for (const actor of actors.values()) await actor.end();
  }
}

class Actor {
  #client = new pg.Client();
  #isConnected = false;
  #sent: Promise<string> | undefined;
  #ended = Promise.withResolvers<string>();
  readonly #notifications: string[] = [];

  async act(server: Server, step: Step): Promise<string | undefined> {
    if ('connect' in step) return this.#connect(server, step.connect);
    if ('run' in step) return this.#run(step.run, step.values);
    if ('send' in step) this.#sent = this.#run(step.send, step.values);
    if ('finish' in step) return this.#sent;
    if ('cancel' in step) await this.#cancel(server);
    if ('closed' in step) return this.#ended.promise;
    if (!('notifications' in step)) return undefined;
    // Earlier notifications to this client have been delivered when a statement is answered.
    await this.#client.query('select 1');
    return this.#notifications.splice(0).join(' ');
  }

  async end(): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }

  async #connect(server: Server, { user, ...config }: { user: string } & pg.ClientConfig) {
    this.#client = new pg.Client({ connectionString: server.urlOf(user), ...config });
    this.#client.on('error', (error) => this.#ended.resolve(codeOf(error)));
    this.#client.on('notification', ({ channel, payload }) =>
      this.#notifications.push(`${channel}=${payload}`),
    );
    const outcome = await this.#client.connect().then(() => 'connected', codeOf);
    this.#isConnected = outcome === 'connected';
    return outcome;
  }

  async #run(text: string, values?: unknown[]): Promise<string> {
    if (!this.#isConnected) throw new Error('The script runs a statement without a connection');
    return this.#client
      .query({ text, rowMode: 'array', ...(values && { values }) })
      .then((result) => JSON.stringify([result].flat().map(({ command, rows }) => [command, rows])), codeOf);
  }

  /** PostgreSQL ignores a request before its statement starts, so it is repeated until that has ended. */
  async #cancel(server: Server): Promise<void> {
    const { processID, secretKey } = this.#client as unknown as { processID: number; secretKey: number };
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    void this.#sent?.finally(done);
    while (!isDone) await requestCancel(server.urlOf('lena'), processID, secretKey);
  }
}

/** Sends a CancelRequest and waits until the server has closed the connection. */
export async function requestCancel(url: string, pid: number, secret: number): Promise<void> {
  const { hostname, port, searchParams } = new URL(url);
  const folder = searchParams.get('host');
  const socket = folder ? connect(`${folder}/.s.PGSQL.${port}`) : connect(Number(port), hostname);
  const request = Buffer.alloc(16);
  for (const [index, value] of [16, 80_877_102, pid, secret].entries())
    request.writeInt32BE(value, index * 4);
  socket.write(request);
  socket.resume();
  await once(socket, 'close');
}

function codeOf(error: unknown): string {
  if (error instanceof pg.DatabaseError) return `${error.severity} ${error.code}`;
  return error instanceof Error ? error.message : String(error);
}
