import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:http2';
import type { Readable } from 'node:stream';

/** A response that is being received. */
export type Receiving = {
  headers: Readonly<Record<string, unknown>>;
  /** Everything received so far. */
  text(): string;
  hasEnded(): boolean;
  /** Closes the connection, as a browser does when the page is left. */
  leave(): void;
};

type Asking = { port: number; path: string; headers: Record<string, string> };

export async function overHttp1({ port, path, headers }: Asking): Promise<Receiving> {
  const call = request({ host: '127.0.0.1', port, path, headers });
  call.end();
  const [answer] = await once(call, 'response');
  return { headers: answer.headers, ...collected(answer), leave: () => call.destroy() };
}

export async function overHttp2({ port, path, headers }: Asking): Promise<Receiving> {
  const session = connect(`https://localhost:${port}`, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  const stream = session.request({ ...headers, ':path': path });
  stream.end();
  const [received] = await once(stream, 'response');
  return { headers: received, ...collected(stream), leave: () => session.destroy() };
}

function collected(body: Readable): Pick<Receiving, 'text' | 'hasEnded'> {
  let [text, hasEnded] = ['', false];
  body.on('data', (piece: Buffer) => {
    text += piece.toString();
  });
  for (const name of ['end', 'error', 'close'])
    body.on(name, () => {
      hasEnded = true;
    });
  return { text: () => text, hasEnded: () => hasEnded };
}
