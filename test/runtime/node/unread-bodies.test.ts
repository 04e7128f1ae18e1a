import { afterEach, expect, it } from 'vitest';
import {
  chunked,
  chunksOf,
  connectRaw,
  headOf,
  lastChunk,
  type RawClient,
} from '../../support/http/raw-client.ts';
import { type ServerProcess, startServer } from '../../support/processes/server-process.ts';

let server: ServerProcess | undefined;
let client: RawClient | undefined;
afterEach(async () => {
  client?.socket.destroy();
  await server?.stop();
});

const body = chunksOf(Buffer.alloc(1_048_576, ' '));
const whole = Buffer.concat([body, Buffer.from(lastChunk)]);

/** A request with a body larger than what the server reads before it answers; the server never reads it. */
async function answered(connection: string, sent: Buffer, unread: number): Promise<RawClient> {
  server = await startServer({ timeouts: { unread } });
  client = await connectRaw(`http://127.0.0.1:${server.port}`);
  client.socket.write(headOf({ route: 'POST /', headers: { connection } }, chunked));
  client.socket.write(sent);
  expect(await client.answer()).toMatchObject({ status: 200, body: 'ok' });
  return client;
}

it('a connection is reused after an unread body has ended', async () => {
  const { socket, answer, closed } = await answered('keep-alive', whole, 300);
  const later = new Promise((resolve) => setTimeout(resolve, 600, 'open'));
  expect(await Promise.race([closed.then(() => 'closed'), later])).toBe('open');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(await answer()).toMatchObject({ status: 200 });
  await closed;
});

it('a connection is closed after an unread body if the client requested it', async () => {
  const { closed } = await answered('close', whole, 60_000);
  await closed;
});

it('a connection is closed when an unread body does not end in time', async () => {
  const { closed } = await answered('keep-alive', body, 300);
  await closed;
});
