import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { createAuthority } from '../../simulator/authority.ts';

export type Received = { headers: IncomingHttpHeaders; body: string; path: string };

/** How a receiver answers: a status with headers, `hang` without an answer, or `close` of the connection. */
export type Reaction = { status: number; headers?: Record<string, string>; body?: string } | 'hang' | 'close';

/** A receiver of webhooks over HTTPS, with a certificate of a private authority. */
export type Receiver = {
  url: string;
  caPem: string;
  received: Received[];
  reaction: Reaction;
  /** The events that the published verifier accepts with this secret; it throws for others. */
  verified(secret: string): { type: string; timestamp: string; data: Record<string, unknown> }[];
  /** Resolves when this many requests have arrived. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
};

export async function startReceiver(reaction: Reaction = { status: 204 }): Promise<Receiver> {
  const authority = await createAuthority('Receivers');
  const server = createServer(await authority.issue());
  const waiting: { count: number; resolve: () => void }[] = [];
  const receiver: Receiver = {
    url: '',
    caPem: authority.caPem,
    received: [],
    reaction,
    verified: (secret) => {
      const verifier = new Webhook(secret);
      return receiver.received.map(
        ({ body, headers }) =>
          verifier.verify(body, headers as Record<string, string>) as ReturnType<
            Receiver['verified']
          >[number],
      );
    },
    arrived: (count) =>
      new Promise((resolve) => {
        if (receiver.received.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    close: () => closed(server),
  };
  server.on('request', async (request, response) => {
    receiver.received.push({ headers: request.headers, body: await text(request), path: request.url ?? '' });
    for (const { count, resolve } of waiting) if (receiver.received.length >= count) resolve();
    react(receiver.reaction, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver.url = `https://localhost:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}

function react(reaction: Reaction, request: IncomingMessage, response: ServerResponse): void {
  if (reaction === 'hang') return;
  if (reaction === 'close') return void request.socket.destroy();
  response.writeHead(reaction.status, reaction.headers).end(reaction.body);
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
