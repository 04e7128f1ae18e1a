import {
  filledPath,
  type Received,
  type Sending,
  sendRequest,
} from '../../../../shared/web/client/request.ts';
import type { Kind, Parents, Row, Verb } from './kinds.ts';

/** Milliseconds after which a request has failed for the page. */
const limitMs = 30_000;

const inTime = (signal?: AbortSignal): AbortSignal =>
  AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(limitMs)]);

export type ListQuery = Readonly<Record<string, string | undefined>>;
export type Page = { items: Row[]; next: string | null; total?: number };

/** A page of a list. */
export async function readPage(path: string, query: ListQuery, signal?: AbortSignal): Promise<Page> {
  const { body } = await sendRequest({ method: 'GET', path, query, signal: inTime(signal) });
  return body as Page;
}

export const listPath = ({ path }: Kind, parents: Parents): string => filledPath(path, parents);

/** Where one record of a kind is. */
export type Target = { kind: Kind; parents: Parents; id: string };

export type RecordState = { row: Row; etag: string | undefined };

export async function readRecord({ kind, parents, id }: Target, signal?: AbortSignal): Promise<RecordState> {
  const { path } = kind.get ?? kind.list;
  const { body, etag } = await sendRequest({
    method: 'GET',
    path: filledPath(path, pathValues(kind, parents, id)),
    signal: inTime(signal),
  });
  return { row: body as Row, etag };
}

export const pathValues = (
  { idParam = 'id' }: Kind,
  parents: Parents,
  id: string,
): Record<string, string> => ({
  ...parents,
  [idParam]: id,
});

export type Write = {
  verb: Verb;
  /** Values of the parameters of the path. */
  path: Readonly<Record<string, string>>;
  body?: unknown;
  /** Of the record that the write depends on. */
  etag?: string | undefined;
};

/** The request of a write, also for its text as a command. */
export const writeOf = ({ verb, path, body, etag }: Write): Sending => ({
  method: verb.method,
  path: filledPath(verb.path, path),
  ...(body !== undefined && { body }),
  headers: { ...(verb.isConditional && etag !== undefined && { 'if-match': etag }) },
});

export const write = (what: Write): Promise<Received> => sendRequest({ ...writeOf(what), signal: inTime() });

/** A change that a write would make. */
export type Change = { field: string; before: unknown; after: unknown };
export type Effect = {
  events: {
    action: string | null;
    object_type: string | null;
    object_name: string | null;
    changes: Change[];
  }[];
  body: unknown;
};

/** What a write would do. */
export async function tryWrite(what: Write): Promise<Effect> {
  const sending = writeOf(what);
  const headers = { ...sending.headers, 'x-dry-run': 'true' };
  const { body } = await sendRequest({ ...sending, headers, signal: inTime() });
  return (body as { would: Effect }).would;
}

const inQuotes = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A request as a command line. The token is a variable, because commands are kept in histories and messages. */
export function curlOf({ method, path, query = {}, body, headers = {} }: Sending): string {
  const url = new URL(path, location.origin);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, value);
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${inQuotes(url.href)}`,
    `-H "X-Auth-Token: $TOKEN"`,
    ...Object.entries(headers).map(([name, value]) => `-H ${inQuotes(`${name}: ${value}`)}`),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `--data ${inQuotes(JSON.stringify(body))}`]),
  ];
  return lines.join(' \\\n  ');
}
