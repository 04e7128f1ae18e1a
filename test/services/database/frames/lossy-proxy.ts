import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { proxiedUrl } from '../../../support/database/freezable-proxy.ts';

/** What the proxy does with a request: `forward`, `refuse` it before the target receives it, or `lose` its answer. */
export type Fate = 'forward' | 'refuse' | 'lose';

export type LossyProxy = {
  /** The target's URL through the proxy. */
  url: string;
  /** Decides for each request from now on, by its body. */
  decide(fateOf: (body: string) => Fate | Promise<Fate>): void;
  close(): Promise<void>;
};

const forwardAll = (): Fate => 'forward';

/** A proxy in front of Neon's HTTP endpoint, which can break the connection of single requests. */
export async function startLossyProxy(targetUrl: string): Promise<LossyProxy> {
  let fateOf: (body: string) => Fate | Promise<Fate> = forwardAll;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const fate = await fateOf(body);
    if (fate === 'refuse') return void request.socket.destroy();
    const headers = Object.entries(request.headers).filter(([name]) => name.startsWith('neon-'));
    const answer = await fetch(new URL(request.url ?? '/', targetUrl), {
      method: 'POST',
      headers: headers.map(([name, value]): [string, string] => [name, String(value)]),
      body,
    });
    const answered = await answer.text();
    if (fate === 'lose') return void request.socket.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answered);
  });
  return {
    url: await proxiedUrl(server, targetUrl),
    decide: (decide) => {
      fateOf = decide;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
}
