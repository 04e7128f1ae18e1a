import type { Buffer } from 'node:buffer';
import { type Problem, ProtocolError, readText } from './messages.ts';

/** The parameters of a startup message. Names of settings are in lower case, values as sent. */
export type StartupRequest = { user: string; database: string; settings: Map<string, string> };

/** An error that ends the session with FATAL. */
export class SessionError extends Error {
  readonly code: string;

  constructor({ code, message }: Problem) {
    super(message);
    this.code = code;
  }
}

/**
 * Reads the body of a startup message. As in PostgreSQL, a parameter has precedence over the same setting in
 * `options`.
 * @throws SessionError for parameters that PostgreSQL also rejects, and for replication
 * @throws ProtocolError for a malformed message
 */
export function parseStartup(body: Buffer): StartupRequest {
  const { user = '', database = user, options = '', replication = 'false', ...rest } = parametersIn(body);
  if (user === '') throw new SessionError({ code: '28000', message: 'no PostgreSQL user name specified' });
  if (!/^(?:f\w*|no?|off|0)$/i.test(replication)) {
    throw new SessionError({ code: '0A000', message: 'replication is not available' });
  }
  const settings = parseOptions(options);
  for (const [name, value] of Object.entries(rest)) {
    if (!name.startsWith('_pq_.')) settings.set(name.toLowerCase(), value);
  }
  return { user, database: database || user, settings };
}

function parametersIn(body: Buffer): Record<string, string> {
  const found: [string, string][] = [];
  for (let at = 0; body[at] !== 0; ) {
    if (at >= body.length) throw new ProtocolError('invalid startup packet layout');
    const [name, middle] = readText(body, at);
    const [value, end] = readText(body, middle);
    found.push([name, value]);
    at = end;
  }
  return Object.fromEntries(found);
}

/** `-c name=value` and `--name=value`; a backslash escapes the next space or backslash. */
function parseOptions(options: string): Map<string, string> {
  const words = options.match(/(?:\\[\s\S]|[^\s\\])+/g) ?? [];
  const settings = new Map<string, string>();
  while (words.length > 0) {
    const [, flag, text] = /^(-c|--)(.*)$/s.exec(words[0] ?? '') ?? [];
    if (!flag) throw invalid(`invalid command-line argument for server process: ${words[0]}`);
    words.shift();
    const setting = (text || words.shift() || '').replace(/\\([\s\S])/g, '$1');
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(setting) ?? [];
    if (!name || value === undefined) throw invalid(`${flag} ${setting} requires a value`);
    settings.set(name.replaceAll('-', '_').toLowerCase(), value);
  }
  return settings;
}

const invalid = (message: string): SessionError => new SessionError({ code: '42601', message });
