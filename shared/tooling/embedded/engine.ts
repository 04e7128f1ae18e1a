import { Buffer } from 'node:buffer';
import type { Extension, PGlite } from '@electric-sql/pglite';
import { type Message, startup } from './protocol/messages.ts';

/** One PostgreSQL backend, which has one session only. */
export type Engine = {
  /** The answer to a startup message. */
  greeting: Buffer;
  /** Runs one message and returns the answer. It throws only if the engine is broken. */
  execute(message: Message): Promise<Buffer>;
  isInTransaction(): boolean;
  /**
   * Refuses or allows changes of `session_authorization` and `role` from now on. The engine authenticated itself as
   * its superuser and would allow every client to become that. To be called outside of transactions.
   */
  restrict(isRestricted: boolean): void;
};

/** What is used of the WebAssembly module: functions of PostgreSQL's `miscinit.c`. */
type Backend = {
  _GetUserId(): number;
  _SetUserIdAndSecContext(userId: number, context: number): void;
};

/** PostgreSQL's SECURITY_LOCAL_USERID_CHANGE: both settings are refused with 42501. Errors and savepoints keep it. */
const localUserChange = 1;

/**
 * Takes the timers away from the engine. Their signals would be handled at the next statement, also those of
 * `idle_in_transaction_session_timeout`, which end a backend: this one then never answers again.
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

/** @throws Error when this version of PGlite lacks what is needed */
export async function engineOf(database: PGlite): Promise<Engine> {
  const backend: unknown = Reflect.get(database, 'mod');
  if (!isBackend(backend)) throw new Error('This version of PGlite lacks SetUserIdAndSecContext');
  const execute = async (message: Buffer): Promise<Buffer> => {
    const answer: Buffer[] = [];
    // The bytes are a view into the engine's memory, so they are copied at once.
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
