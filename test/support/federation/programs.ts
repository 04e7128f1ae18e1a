import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as client from 'openid-client';
import type { Answer } from '../portal.ts';
import type { Browser, Seen } from './browser.ts';
import type { FederationStand } from './stand.ts';

/** A portal at its address, reached in any way. */
type PortalAddress = {
  baseUrl: string;
  send(
    route: string,
    options: { headers: Record<string, string>; body?: string; ip?: string },
  ): Promise<Answer>;
};

/** Sends the requests of `openid-client` to a portal. */
const fetchOf =
  ({ send }: PortalAddress, ip?: string): client.CustomFetch =>
  async (url, { method, headers, body }) => {
    const { pathname, search } = new URL(url);
    const answer = await send(`${method} ${pathname}${search}`, {
      headers,
      ...(body != null && { body: String(body) }),
      ...(ip && { ip }),
    });
    return new Response(JSON.stringify(answer.body), { status: answer.status, headers: answer.headers });
  };

/** A native program on `openid-client`, which finds the addresses of the portal by its metadata. */
export function nativeProgramAt(
  portal: PortalAddress,
  domainId: string,
  ip?: string,
): Promise<client.Configuration> {
  const issuer = new URL(`${portal.baseUrl}/api/auth/v7.0/oidc/${domainId}`);
  return client.discovery(issuer, 'console', undefined, client.None(), {
    algorithm: 'oauth2',
    [client.customFetch]: fetchOf(portal, ip),
  });
}

export function nativeProgram(
  { world: { portal }, domain }: FederationStand,
  ip?: string,
): Promise<client.Configuration> {
  return nativeProgramAt({ baseUrl: portal.deps.baseUrl, send: portal.send }, domain.id, ip);
}

export type LoopbackListener = { redirectUri: string; received: Promise<URL>; close(): void };

/** Listens for the browser as a native program does. */
export async function listenOnLoopback(host: '127.0.0.1' | '::1' = '127.0.0.1'): Promise<LoopbackListener> {
  const server = createServer();
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `http://${host === '::1' ? '[::1]' : host}:${port}`;
  const received = new Promise<URL>((resolve) => {
    server.on('request', (request, response) => {
      response.setHeader('content-type', 'text/html').end('<title>Done</title>You can close this page.');
      if (request.url?.startsWith('/back')) resolve(new URL(request.url, origin));
    });
  });
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { redirectUri: `${origin}/back`, received, close };
}

/** Sends the form of a page with a decision, as a browser does. */
export function sendConsent(
  browser: Browser,
  page: Seen,
  decision: 'allow' | 'deny',
  changed: Record<string, string> = {},
): Promise<Seen> {
  const account = /name="account" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
  return sendForm(browser, page.url, { account, decision, ...changed });
}

export async function sendForm(browser: Browser, url: string, form: Record<string, string>): Promise<Seen> {
  browser.originOfForms = { 'sec-fetch-site': 'same-origin', origin: new URL(url).origin };
  const seen = await browser.open(url, form);
  browser.originOfForms = {};
  return seen;
}
