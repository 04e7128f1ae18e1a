import { isUnavailable, pgFault } from '../../db/errors.ts';
import { ConfigError } from '../kernel/config-error.ts';

/**
 * Describes in one line why the database is unusable at start: the variable of its URL, the error, and the remedy.
 * @param url only its host, port and database are included
 */
export function databaseFault(variable: string, url: string, error: unknown): ConfigError {
  if (error instanceof ConfigError) return error;
  const { place, database } = placeOf(url);
  const message = firstLineOf(error);
  const found = faults.find(({ when }) => when.test(`${pgFault(error)?.code ?? codeOf(error)} ${message}`));
  const text = found?.text({ place, database, message }) ?? `${place} refuses (${message})`;
  return new ConfigError([`${variable}: ${text}`], { cause: error });
}

/** For `catch`: converts database errors with `databaseFault`; other errors are unchanged. */
export const namingDatabase =
  (variable: string, url: string) =>
  (error: unknown): never => {
    throw pgFault(error) || isUnavailable(error) ? databaseFault(variable, url, error) : error;
  };

type FaultDetails = { place: string; database: string; message: string };

/** The first match applies. `when` is matched against the SQLSTATE or Node error code, a space, and the message. */
const faults: readonly { when: RegExp; text: (facts: FaultDetails) => string }[] = [
  {
    when: /^28000 .*(?:no encryption|SSL off)/,
    text: ({ place }) => `${place} accepts encrypted connections only; add ?sslmode=verify-full to the URL`,
  },
  {
    when: /^28000 .*role .* does not exist/,
    text: ({ place, message }) =>
      `${place}: ${message}; npm run db:migrate -- --roles prints the SQL that creates the roles`,
  },
  {
    when: /^28|SASL|password must be a string/,
    text: ({ place, message }) =>
      `${place} rejects the login (${message}); correct the user or the password in the URL`,
  },
  {
    when: /^3D000/,
    text: ({ place, database }) =>
      `${place} has no database ${database}; npm run db:migrate -- --roles prints the SQL that creates it`,
  },
  {
    when: /^42501/,
    text: ({ place, message }) =>
      `the role of the URL lacks a privilege on ${place} (${message}); npm run db:migrate -- --roles prints the SQL that grants it`,
  },
  {
    when: /^53300/,
    text: ({ place, message }) =>
      `${place} has no connection left (${message}); raise max_connections, or end other clients`,
  },
  { when: /^53100/, text: ({ place }) => `the disk of ${place} is full; free some space there` },
  {
    when: /^57P0[123]/,
    text: ({ place, message }) => `${place} is not ready (${message}); start again when it is`,
  },
  {
    when: /^25006/,
    text: ({ place }) => `${place} is read-only, as a standby is; name the primary server`,
  },
  {
    when: /^ECONNREFUSED|^ENOENT/,
    text: ({ place }) => `nothing listens on ${place}; start the server, or correct host and port in the URL`,
  },
  {
    when: /^ENOTFOUND|^EAI_/,
    text: ({ place }) => `the host of ${place} does not resolve in DNS; correct it in the URL`,
  },
  {
    when: /^EHOSTUNREACH|^ENETUNREACH|^ETIMEDOUT|timeout/,
    text: ({ place }) => `${place} does not answer; correct the URL, or allow this machine in its firewall`,
  },
  {
    when: /does not support SSL/,
    text: ({ place }) => `${place} does not offer TLS; remove sslmode from the URL, or turn TLS on there`,
  },
  {
    when: /^(?:\w*SELF_SIGNED|UNABLE_TO|CERT_|ERR_TLS)|certificate/,
    text: ({ place, message }) =>
      `the certificate of ${place} is not trusted (${message}); add sslrootcert=<file of its authority> to the URL`,
  },
  {
    when: /^ECONNRESET|^EPIPE|Connection terminated|Received unexpected|Unknown message|invalid/i,
    text: ({ place }) =>
      `${place} ends the connection; correct host and port in the URL if it is not a PostgreSQL server`,
  },
];

function placeOf(url: string): { place: string; database: string } {
  const { hostname, port, pathname, searchParams } = new URL(url);
  const folder = searchParams.get('host');
  const database = decodeURIComponent(pathname.slice(1)) || 'named after the user';
  return { place: folder ?? `${hostname || 'localhost'}:${port || 5432}`, database };
}

/** Drizzle's message is the whole statement; the message of the database is in its cause. */
function firstLineOf(error: unknown): string {
  const root = rootOf(error);
  return (
    (root instanceof Error ? root.message || String(codeOf(root)) : String(root)).split('\n', 1)[0] ?? ''
  );
}

function codeOf(error: unknown): string {
  const root = rootOf(error);
  return root instanceof Error && 'code' in root ? String(root.code) : '';
}

function rootOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return rootOf(error.errors[0]);
  return error instanceof Error && error.cause instanceof Error ? rootOf(error.cause) : error;
}
