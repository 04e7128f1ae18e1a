import type { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import {
  closeStatement,
  createReader,
  fatal,
  type Message,
  type Opening,
  query,
  refuseCopy,
  renameStatement,
  sync,
  typeOf,
} from './postgres-messages.ts';
import { type Client, type Engine, Turns } from './postgres-turns.ts';

export type Sessions = {
  accept(socket: Socket): void;
  /** Runs a statement of our own in its turn, when no client is inside a transaction. */
  run(sql: string): void;
  /** Ends every session, after the statement that runs now; open transactions are rolled back. */
  stop(): Promise<void>;
};

export type SessionsOptions = {
  maxSessions?: number;
  /** A client that says nothing inside a transaction for this long, while others wait, is cut off. */
  idleInTransactionMs?: number;
};

/** `batch` is not complete yet. */
type Session = Client & { socket: Socket; prefix: string; batch: Message[]; statements: Set<string> };

const endsBatch: readonly string[] = ['Q', 'S', 'H', 'F'];
/** Nobody is asked for a password, and COPY from a client is refused before. */
const ignored: readonly string[] = ['d', 'c', 'f', 'p'];

/**
 * Many clients on an engine that knows one session: transactions and prepared statements are kept apart. Not kept
 * apart are `SET`, `LISTEN` and advisory locks of a session.
 */
export function createSessions(engine: Engine, options: SessionsOptions = {}): Sessions {
  const { maxSessions = 100, idleInTransactionMs = 30_000 } = options;
  const sessions = new Map<Client, Session>();
  const turns = new Turns(engine);
  let count = 0;
  const watch = setInterval(() => {
    const blocker = turns.blocker();
    if (!blocker || Date.now() - blocker.activeAt < idleInTransactionMs) return;
    cutOff(sessions.get(blocker)?.socket, '25P03', 'idle in transaction while others wait');
  }, 500).unref();

  return {
    accept: (socket) => {
      if (sessions.size >= maxSessions) return cutOff(socket, '53300', 'too many connections');
      const session = newSession(socket, `c${++count}_`);
      sessions.set(session, session);
      attend(session, engine, turns);
      socket.on('close', () => sessions.delete(session) && leave(session, turns));
    },
    run: (sql) => turns.add({ answer: () => undefined, batches: [], activeAt: Date.now() }, [query(sql)]),
    stop: async () => {
      clearInterval(watch);
      for (const session of sessions.values()) {
        session.socket.destroy();
        leave(session, turns);
      }
      sessions.clear();
      await turns.rest();
    },
  };
}

const newSession = (socket: Socket, prefix: string): Session => ({
  socket,
  prefix,
  batch: [],
  batches: [],
  statements: new Set(),
  activeAt: Date.now(),
  answer: (bytes) => {
    if (socket.writable) socket.write(bytes);
  },
});

/** What has not begun does not run; an open transaction is rolled back, and named statements are forgotten. */
function leave(session: Session, turns: Turns): void {
  session.batches = [];
  const statements = [...session.statements].map(closeStatement);
  if (turns.isHeldBy(session)) turns.add(session, [sync, query('rollback'), ...statements, sync]);
  else if (statements.length > 0) turns.add(session, [...statements, sync]);
}

/** Reads one client; whatever is malformed ends its session. */
function attend(session: Session, engine: Engine, turns: Turns): void {
  const { socket } = session;
  const read = createReader();
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    session.activeAt = Date.now();
    try {
      for (const message of read(chunk)) {
        if (typeof message === 'string') open(socket, message, engine);
        else take(session, message, turns);
      }
    } catch (error) {
      cutOff(socket, '08P01', error instanceof Error ? error.message : 'protocol violation');
    }
  });
}

function open(socket: Socket, opening: Opening, { greeting }: Engine): void {
  if (opening === 'start') socket.write(greeting);
  else if (opening === 'cancel') socket.destroy();
  // Neither TLS nor GSSAPI: nobody but the owner of this process can connect.
  else socket.write('N');
}

function take(session: Session, message: Message, turns: Turns): void {
  const type = typeOf(message);
  if (type === 'X') return void session.socket.end();
  if (ignored.includes(type)) return;
  const renamed = renameStatement(refuseCopy(message), session.prefix);
  if (renamed.made) session.statements.add(renamed.made);
  session.batch.push(renamed.message);
  if (!endsBatch.includes(type)) return;
  turns.add(session, session.batch);
  session.batch = [];
}

function cutOff(socket: Socket | undefined, sqlState: string, text: string): void {
  socket?.on('error', () => undefined);
  socket?.write(fatal(sqlState, text));
  socket?.destroySoon();
}
