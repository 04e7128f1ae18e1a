import type { Log, LogFields, LogLevel } from '../kernel/observability/log.ts';
import { escapeControls } from '../kernel/text.ts';

export type LogOptions = {
  /** Minimum level; default: `info`. */
  level?: LogLevel;
  /** Writes one line without its line end; default: to standard error. */
  write?: (line: string) => void;
};

/** JSON lines with `time` (RFC 3339), `level`, `message`, and the fields. An `Error` is written with its causes. */
export function createLog({ level = 'info', write = toStandardError }: LogOptions = {}): Log {
  const at =
    (own: LogLevel): Log[LogLevel] =>
    (message, fields = {}) => {
      if (ranks[own] >= ranks[level]) write(lineOf(own, message, fields));
    };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  };
}

const ranks: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };

// `console.error` is available in both Node and Workers.
const toStandardError = (line: string): void => console.error(line);

/** Fields cannot override the standard members, and logging never throws. */
function lineOf(level: LogLevel, message: string, fields: LogFields): string {
  const ours = { time: new Date().toISOString(), level, message };
  try {
    // JSON does not escape U+007F to U+009F, some of which control terminals.
    return escapeControls(JSON.stringify(plain({ ...ours, ...fields, ...ours }, [])));
  } catch {
    return escapeControls(JSON.stringify({ ...ours, unloggable: true }));
  }
}

function plain(value: unknown, above: readonly object[]): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (above.includes(value) || above.length > 12) return '[circular]';
  const inside = [...above, value];
  if (value instanceof Error) return plainError(value, inside);
  if (Array.isArray(value)) return value.map((entry) => plain(entry, inside));
  if ('toJSON' in value && typeof value.toJSON === 'function') return value.toJSON();
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, plain(entry, inside)]));
}

function plainError(error: Error, inside: readonly object[]): LogFields {
  return {
    name: error.name,
    code: 'code' in error ? plain(error.code, inside) : undefined,
    message: withoutParameters(error.message),
    // The stack repeats the message; the frames below it are kept.
    stack: error.stack && withoutParameters(error.stack.replace(error.message, withoutParameters)),
    cause: plain(error.cause, inside),
  };
}

/** Drizzle appends the parameters to the message of a failed statement: hashes, sealed secrets, names. */
function withoutParameters(text: string): string {
  const at = text.indexOf('\nparams:');
  return at < 0 ? text : text.slice(0, at);
}
