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
  /** Runs an internal statement in sequence, when no client is in a transaction. */
  run(sql: string): void;
  /** Ends all sessions after the running statement; open transactions are rolled back. */
  stop(): Promise<void>;
};

export type SessionsOptions = {
  maxSessions?: number;
  /** Applies to clients without `idle_in_transaction_session_timeout`, while others wait. */
  idleInTransactionMs?: number;
};

const maxCachedLogins = 200;

/**
 * Multiplexes many clients on an engine with one session. Each client has its own role, settings, transactions,
 * protocol-level prepared statements, LISTEN channels and cancel key. Separate settings are those in `pg_settings`,
 * and customized options (`a.b`) named in a statement or bound value.
 *
 * All clients share: `pg_backend_pid()`, session-level advisory locks, temporary tables, cursors WITH HOLD, names of
 * SQL's PREPARE, `currval` and `lastval`, and session settings made by stored functions. A customized option set by
 * any client is empty for the others instead of unknown. Inside a transaction, RESET and SET TO DEFAULT show the
 * server's default; the value from the connection start returns at its end. DISCARD ALL, DEALLOCATE ALL, CLOSE ALL
 * and COPY FROM STDIN are rejected; SET ROLE and SET SESSION AUTHORIZATION require a superuser; RESET SESSION
 * AUTHORIZATION has no effect. Defaults of ALTER ROLE … SET and ALTER DATABASE … SET do not apply.
 *
 * A running statement cannot be interrupted: `statement_timeout`, `lock_timeout` and cancel requests end statements
 * that wait for the engine, and `idle_in_transaction_session_timeout` ends sessions. Other timeouts have no effect.
 */
export async function createSessions(engine: Engine, options: SessionsOptions = {}): Promise<Sessions> {
  const front = new Front(engine, options);
  await front.start();
  return front;
}

/** The process id in the response to a startup message; 0 if absent. */
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

  /** Reads the messages of one client; malformed input ends its session. */
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
    // Neither TLS nor GSSAPI is needed: only the owner of this process can connect.
    if (kind === 'cancel') socket.destroy();
    else socket.write('N');
  }

  /** As in PostgreSQL, a cancel request gets no response. */
  #cancel(body: Buffer): void {
    if (body.length !== 8 || body.readInt32BE(0) !== this.#pid) return;
    // All sessions have the same process id; only the secret distinguishes them.
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

  /**
   * A login verifies role and settings on the engine. While another client holds the engine, a cached result is used.
   */
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

  /** Pending jobs are discarded; an open transaction is rolled back. */
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
