import type { Buffer } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Engine } from '../engine.ts';
import type { Batch } from './batches.ts';
import { Channels } from './channels.ts';
import { Execution } from './execution.ts';
import { LimitWatch, limitProblems } from './limits.ts';
import {
  createReader,
  errorMessage,
  isOpening,
  type Message,
  type Opening,
  type Problem,
} from './messages.ts';
import { EngineQueue } from './queue.ts';
import { Session } from './session.ts';
import { parseStartup, SessionError, type StartupRequest } from './startup.ts';
import { EngineSession, type Login } from './state.ts';

export type Sessions = {
  accept(socket: Socket): void;
  /** Runs a statement of our own in its turn, when no client is inside a transaction. */
  run(sql: string): void;
  /** Ends every session, after the statement that runs now; open transactions are rolled back. */
  stop(): Promise<void>;
};

export type SessionsOptions = {
  maxSessions?: number;
  /** The limit for clients that set no `idle_in_transaction_session_timeout`, while others wait. */
  idleInTransactionMs?: number;
};

const maxCachedLogins = 200;

/**
 * Many clients on an engine that has one session. Each client has its own role, settings, transactions, prepared
 * statements of the protocol, LISTEN and cancel key. Settings that `pg_settings` lists are kept apart, and customized
 * options (`a.b`) that a statement or a bound value names.
 *
 * All clients share: `pg_backend_pid()`, session-level advisory locks, temporary tables, cursors WITH HOLD, names of
 * SQL's PREPARE, `currval` and `lastval`, and what a stored function sets for the session. A customized option that
 * any client has set is empty for the others, not unknown. Inside a transaction, RESET and SET TO DEFAULT show the
 * server's default; the value from the connection's start is back when it ends. DISCARD ALL, DEALLOCATE ALL, CLOSE ALL
 * and COPY FROM STDIN are refused; SET ROLE and SET SESSION AUTHORIZATION are for superusers, RESET SESSION
 * AUTHORIZATION has no effect. Defaults of ALTER ROLE … SET and ALTER DATABASE … SET do not apply.
 *
 * A statement that runs cannot be interrupted: `statement_timeout`, `lock_timeout` and cancel requests end statements
 * that wait for the engine, and `idle_in_transaction_session_timeout` ends sessions. Other timeouts have no effect.
 */
export async function createSessions(engine: Engine, options: SessionsOptions = {}): Promise<Sessions> {
  const front = new Front(engine, options);
  await front.start();
  return front;
}

/** Of the backend key data in the answer to a startup message; 0 without it. */
function processIdIn(greeting: Buffer): number {
  for (let at = 0; at + 5 <= greeting.length; at += 1 + greeting.readUInt32BE(at + 1))
    if (greeting[at] === 'K'.charCodeAt(0)) return greeting.readInt32BE(at + 5);
  return 0;
}

class Front implements Sessions {
  readonly #sessions = new Map<number, Session>();
  readonly #logins = new Map<string, Login>();
  readonly #queue = new EngineQueue();
  readonly #channels: Channels;
  readonly #engineSession: EngineSession;
  readonly #execution: Execution;
  readonly #watch: LimitWatch;
  readonly #maxSessions: number;
  readonly #pid: number;
  #count = 0;

  constructor(engine: Engine, { maxSessions = 100, idleInTransactionMs = 30_000 }: SessionsOptions) {
    this.#maxSessions = maxSessions;
    this.#pid = processIdIn(engine.greeting);
    this.#channels = new Channels(engine, () => this.#sessions.values());
    this.#engineSession = new EngineSession(engine);
    this.#execution = new Execution(engine, this.#engineSession, this.#channels);
    this.#execution.onRoleChange = () => this.#logins.clear();
    this.#watch = new LimitWatch(this.#queue, {
      limitsOf: (client) =>
        client instanceof Session ? client.limits : { statementMs: 0, lockMs: 0, idleMs: 0 },
      end: (client, problem) => client instanceof Session && client.end(problem),
      defaultIdleMs: idleInTransactionMs,
    });
  }

  start(): Promise<void> {
    return this.#channels.start();
  }

  /** Reads one client; what is malformed ends its session. */
  accept(socket: Socket): void {
    const read = createReader();
    let session: Session | undefined;
    const receive = (part: Opening | Message): void => {
      if (!isOpening(part)) session?.receive(part);
      else if (part.kind === 'start') session = this.#open(socket, part.body);
      else this.#answerOpening(socket, part);
    };
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      // A client that sends is not idle.
      if (session?.jobs.length === 0) session.waitsSince = performance.now();
      try {
        for (const part of read(chunk)) receive(part);
      } catch (error) {
        const problem = error instanceof SessionError ? error : malformed(error);
        if (session) session.end(problem);
        else refuse(socket, problem);
      }
    });
  }

  run(sql: string): void {
    const job = { run: () => this.#execution.runOwn(sql), refuse: () => undefined };
    this.#queue.add({ jobs: [], waitsSince: 0 }, job);
  }

  async stop(): Promise<void> {
    this.#watch.stop();
    for (const session of this.#sessions.values()) {
      session.socket.destroy();
      this.#leave(session);
    }
    await this.#queue.rest();
  }

  #answerOpening(socket: Socket, { kind, body }: Opening): void {
    if (kind === 'cancel') this.#cancel(body);
    // Neither TLS nor GSSAPI: only the owner of this process can connect.
    if (kind === 'cancel') socket.destroy();
    else socket.write('N');
  }

  /** A cancel request is never answered, as in PostgreSQL. */
  #cancel(body: Buffer): void {
    if (body.length !== 8 || body.readInt32BE(0) !== this.#pid) return;
    // All sessions have one process ID; the secret alone tells them apart.
    const session = [...this.#sessions.values()].find(({ secret }) =>
      timingSafeEqual(secret, body.subarray(4)),
    );
    if (!session) return;
    if (!this.#queue.isHeldBy(session)) this.#queue.withdraw(session)?.refuse(limitProblems.cancel);
  }

  #open(socket: Socket, body: Buffer): Session | undefined {
    const request = parseStartup(body);
    if (this.#sessions.size >= this.#maxSessions) {
      throw new SessionError({ code: '53300', message: 'sorry, too many clients already' });
    }
    const id = ++this.#count;
    const key = { id, pid: this.#pid };
    const session = new Session(socket, key, (verb, channel) => this.#channels.rewrite(id, verb, channel));
    this.#sessions.set(id, session);
    session.onBatch = (batch) => this.#add(session, batch);
    session.onEnd = () => this.#leave(session);
    session.isRunning = () => session.jobs.length > 0 || this.#queue.isHeldBy(session);
    socket.on('close', () => this.#leave(session));
    this.#logIn(session, request);
    return session;
  }

  /** A login checks role and settings on the engine. While another client holds it, a former answer will do. */
  #logIn(session: Session, request: StartupRequest): void {
    const key = JSON.stringify([request.user, request.database, ...request.settings]);
    const known = this.#queue.isFree ? undefined : this.#logins.get(key);
    if (known) {
      session.begin(known);
      return;
    }
    const run = async () => {
      try {
        const login = await this.#engineSession.login(request);
        if (this.#logins.size >= maxCachedLogins) this.#logins.clear();
        this.#logins.set(key, login);
        session.begin(login);
      } catch (error) {
        if (!(error instanceof SessionError)) throw error;
        session.end(error);
      }
      return false;
    };
    this.#queue.add(session, { run, refuse: (problem) => session.end(problem) });
  }

  #add(session: Session, batch: Batch): void {
    this.#queue.add(session, {
      end: batch.end,
      run: () => this.#execution.run(session, batch),
      refuse: (problem) => session.refuse(batch, problem),
    });
  }

  /** What has not begun does not run; an open transaction is rolled back. */
  #leave(session: Session): void {
    if (!this.#sessions.delete(session.id)) return;
    session.jobs = [];
    const { reader, channels } = session;
    if (!this.#queue.isHeldBy(session) && reader.statements.length === 0 && channels.size === 0) return;
    this.#queue.add(session, { run: () => this.#execution.abandon(session), refuse: () => undefined });
  }
}

function refuse(socket: Socket, problem: Problem): void {
  socket.write(errorMessage('FATAL', problem));
  socket.destroySoon();
}

const malformed = (error: unknown): Problem => ({
  code: '08P01',
  message: error instanceof Error ? error.message : 'protocol violation',
});
