import { Buffer } from 'node:buffer';
import type { Extension, PGlite } from '@electric-sql/pglite';
import { type Message, startup } from './protocol/messages.ts';

/** A PostgreSQL backend with a single session. */
export type Engine = {
  /** The response to a startup message. */
  greeting: Buffer;
  /** Runs one message and returns the response. Throws only if the engine is broken. */
  execute(message: Message): Promise<Buffer>;
  isInTransaction(): boolean;
  /**
   * Forbids or allows changes of `session_authorization` and `role`. The engine is authenticated as superuser and
   * would allow every client to become it. Must be called outside of transactions.
   */
  restrict(isRestricted: boolean): void;
};

/** The used functions of the WebAssembly module (PostgreSQL's `miscinit.c`). */
type Backend = {
  _GetUserId(): number;
  _SetUserIdAndSecContext(userId: number, context: number): void;
};

/**
 * PostgreSQL's SECURITY_LOCAL_USERID_CHANGE: both settings are rejected with 42501. Errors and savepoints preserve
 * it.
 */
const localUserChange = 1;

/**
 * Disables the engine's timers. Their signals would be handled at the next statement, including those of
 * `idle_in_transaction_session_timeout`, which end the only backend.
 */
export const withoutTimers: Extension = {
  name: 'without-timers',
  setup: async (_database, options) => {
    const instantiate = options.instantiateWasm;
    const instantiateWasm = (imports: { env: Record<string, unknown> }, done: unknown) => {
      if (!imports.env._setitimer_js) throw new Error('This version of PGlite has other timers');
      imports.env._setitimer_js = () => 0;
      return instantiate(imports, done);
    };
    return { emscriptenOpts: { ...options, instantiateWasm } };
  },
};

/** @throws Error if this version of PGlite lacks a required function */
export async function engineOf(database: PGlite): Promise<Engine> {
  const backend: unknown = Reflect.get(database, 'mod');
  if (!isBackend(backend)) throw new Error('This version of PGlite lacks SetUserIdAndSecContext');
  const execute = async (message: Buffer): Promise<Buffer> => {
    const answer: Buffer[] = [];
    // The bytes are a view of the engine's memory and must be copied immediately.
    await database.execProtocolRawStream(message, { onRawData: (bytes) => answer.push(Buffer.from(bytes)) });
    return Buffer.concat(answer);
  };
  return {
    greeting: await execute(startup()),
    execute,
    isInTransaction: () => database.isInTransaction(),
    restrict: (isRestricted) =>
      backend._SetUserIdAndSecContext(backend._GetUserId(), isRestricted ? localUserChange : 0),
  };
}

const isBackend = (value: unknown): value is Backend =>
  typeof value === 'object' &&
  value !== null &&
  ['_GetUserId', '_SetUserIdAndSecContext'].every((name) => typeof Reflect.get(value, name) === 'function');
