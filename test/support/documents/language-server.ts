import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../../../shared/tooling/build/bundles.ts';

type Position = { line: number; character: number };
type Message = { id?: number; method?: string; result?: { contents?: unknown } | null; error?: unknown };

/** The language server of TypeScript, as editors run it. */
export type LanguageServer = {
  /** The hover text of an editor for a position of the file; empty for none. */
  hover(position: Position): Promise<string>;
  close(): void;
};

/** Opens one file. Requests and answers are JSON-RPC with a `Content-Length` each (Language Server Protocol 3.17). */
export async function openInLanguageServer(file: string): Promise<LanguageServer> {
  const server = spawn(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '--lsp', '--stdio'],
    {
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  );
  const waiting = new Map<number, (message: Message) => void>();
  const send = (message: object): void => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  };
  const receive = (message: Message): void => {
    const { id, method } = message;
    if (id === undefined) return;
    // The server requests settings; none are set.
    if (method !== undefined) {
      send({ id, result: method === 'workspace/configuration' ? [null] : null });
      return;
    }
    waiting.get(id)?.(message);
    waiting.delete(id);
  };
  readMessages(server.stdout, receive);
  let last = 0;
  const request = (method: string, params: object): Promise<Message> => {
    const { promise, resolve } = Promise.withResolvers<Message>();
    last += 1;
    waiting.set(last, resolve);
    send({ id: last, method, params });
    return promise;
  };
  const uri = pathToFileURL(file).href;
  await request('initialize', {
    processId: process.pid,
    rootUri: pathToFileURL(root).href,
    capabilities: {},
  });
  send({ method: 'initialized', params: {} });
  const text = await readFile(file, 'utf8');
  send({
    method: 'textDocument/didOpen',
    params: { textDocument: { uri, languageId: 'typescript', version: 1, text } },
  });
  return {
    hover: async (position) => {
      const { result, error } = await request('textDocument/hover', { textDocument: { uri }, position });
      if (error !== undefined) throw new Error(JSON.stringify(error));
      return JSON.stringify(result?.contents ?? '');
    },
    close: () => void server.kill(),
  };
}

function readMessages(stream: NodeJS.ReadableStream, receive: (message: Message) => void): void {
  let unread = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    for (;;) {
      const head = unread.indexOf('\r\n\r\n');
      const length = Number(
        /Content-Length: (\d+)/i.exec(unread.subarray(0, Math.max(head, 0)).toString())?.[1],
      );
      if (head < 0 || unread.length < head + 4 + length) return;
      const message: Message = JSON.parse(unread.subarray(head + 4, head + 4 + length).toString());
      unread = unread.subarray(head + 4 + length);
      receive(message);
    }
  });
}
