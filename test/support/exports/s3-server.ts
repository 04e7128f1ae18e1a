import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { S3Config } from '../../../shared/remotes/object-store/s3-config.ts';
import { sha256, signatureFault } from './sigv4.ts';

/** A received request, before it is answered. */
type S3Request = { method: string; key: string; query: URLSearchParams; bytes: number };

export type S3Server = {
  config: S3Config;
  requests: S3Request[];
  /** Keys of complete objects. */
  keys(): string[];
  /** Ids of uploads that are neither complete nor aborted. */
  uploads(): string[];
  /** Called before a request is answered: a status replaces the response, a promise is awaited. */
  before: (request: S3Request) => number | Promise<unknown> | undefined;
  stop(): Promise<void>;
};

const keys = { accessKeyId: 'exports', secretAccessKey: 'a secret of the object store', region: 'eu-test-1' };
const leastPart = 5 * 2 ** 20;

/** The parts of S3 that exports need, on a socket, with files in a folder; every request needs a valid signature. */
export async function startS3(): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-s3-'));
  const objects = new Map<string, string>();
  const uploads = new Map<string, Map<number, string>>();
  const store = { folder, objects, uploads };
  const server = createServer((request, response) => void serve(request, response));
  const s3: S3Server = {
    config: { ...keys, bucket: 'files', endpoint: '' },
    requests: [],
    keys: () => [...objects.keys()],
    uploads: () => [...uploads.keys()],
    before: () => undefined,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  s3.config.endpoint = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return s3;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const body = await buffer(request).catch(() => undefined);
    if (!body) return;
    const fault =
      signatureFault({ method, target: url, headers }, keys) ??
      (headers['x-amz-content-sha256'] === sha256(body) ? undefined : 'XAmzContentSHA256Mismatch');
    if (fault) return void response.writeHead(403).end(`<Error><Code>${fault}</Code></Error>`);
    const { pathname, searchParams: query } = new URL(url, s3.config.endpoint);
    const key = decodeURIComponent(pathname.replace('/files/', ''));
    const asked = { method, key, query, bytes: body.length };
    s3.requests.push(asked);
    const instead = await s3.before(asked);
    if (typeof instead === 'number') return void response.writeHead(instead).end();
    await answer(store, { asked, body, range: headers.range, response });
  }
}

type Store = {
  folder: string;
  objects: Map<string, string>;
  uploads: Map<string, Map<number, string>>;
};

type Question = { asked: S3Request; body: Buffer; range: string | undefined; response: ServerResponse };

async function answer(store: Store, question: Question): Promise<void> {
  const { method, query } = question.asked;
  const uploadId = query.get('uploadId');
  if (uploadId !== null && !store.uploads.has(uploadId)) return absent(question, 'NoSuchUpload');
  if (method === 'PUT') return put(store, question);
  if (method === 'POST')
    return query.has('uploads') ? beginUpload(store, question) : complete(store, question);
  if (method === 'DELETE') return remove(store, question);
  return get(store, question);
}

const absent = ({ response }: Question, code: string): void =>
  void response.writeHead(404).end(`<Error><Code>${code}</Code></Error>`);

async function put({ folder, uploads, objects }: Store, { asked, body, response }: Question): Promise<void> {
  const path = join(folder, randomUUID());
  await writeFile(path, body);
  const parts = uploads.get(asked.query.get('uploadId') ?? '');
  if (parts) parts.set(Number(asked.query.get('partNumber')), path);
  else objects.set(asked.key, path);
  response.writeHead(200, { etag: `"${sha256(body).slice(0, 32)}"` }).end();
}

/** The id has a character that XML and addresses spell differently. */
function beginUpload({ uploads }: Store, { response }: Question): void {
  const id = `upload&${randomUUID()}`;
  uploads.set(id, new Map());
  response.end(`<R><UploadId>${id.replace('&', '&amp;')}</UploadId></R>`);
}

async function complete({ folder, uploads, objects }: Store, { asked, body, response }: Question) {
  const id = asked.query.get('uploadId') ?? '';
  const path = join(folder, randomUUID());
  if (!(await joinParts(uploads.get(id) ?? new Map(), body.toString(), path)))
    return void response.end('<Error><Code>InvalidPart</Code></Error>');
  objects.set(asked.key, path);
  uploads.delete(id);
  response.end('<R><ETag>"whole"</ETag></R>');
}

function remove({ uploads, objects }: Store, question: Question): void {
  const id = question.asked.query.get('uploadId');
  const wasThere = id === null ? objects.delete(question.asked.key) : uploads.delete(id);
  if (wasThere) question.response.writeHead(204).end();
  else absent(question, 'NoSuchKey');
}

async function get({ objects }: Store, question: Question): Promise<void> {
  const object = objects.get(question.asked.key);
  if (!object) return absent(question, 'NoSuchKey');
  const start = Number(/^bytes=(\d+)-$/.exec(question.range ?? '')?.[1] ?? 0);
  question.response.writeHead(206, { 'content-length': (await stat(object)).size - start });
  createReadStream(object, { start }).pipe(question.response);
}

/** Parts of the list in its order, each with its tag; only the last may be short. */
async function joinParts(parts: Map<number, string>, list: string, path: string): Promise<boolean> {
  const named = [...list.matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>&quot;(\w+)&quot;<\/ETag>/g)];
  for (const [at, [, number, etag]] of named.entries()) {
    const part = parts.get(Number(number));
    const content = part && (await readFile(part));
    if (!content || sha256(content).slice(0, 32) !== etag) return false;
    if (at < named.length - 1 && content.length < leastPart) return false;
    await appendFile(path, content);
  }
  return named.length > 0;
}
