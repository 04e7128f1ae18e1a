import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Answer } from '../portal.ts';

/** A response as a browser sees it. */
export type Seen = { url: string; status: number; headers: Headers; body: string };

/** A portal at its address, reached in any way. */
export type PortalAt = {
  baseUrl: string;
  send(route: string, options: { headers: Record<string, string>; body?: unknown }): Promise<Answer>;
};

/** Opens addresses and keeps cookies by origin, as a browser does. */
export class Browser {
  readonly cookies = new Map<string, Map<string, string>>();
  /** Addresses in the order in which they were opened. */
  readonly visited: string[] = [];
  readonly #portal: PortalAt;
  readonly #ca: () => string;
  /** Headers of forms that a page of the portal sends. */
  originOfForms: Record<string, string> = {};
  headers: Record<string, string> = { accept: 'text/html', 'accept-language': 'en' };

  constructor(portal: PortalAt, ca: () => string) {
    this.#portal = portal;
    this.#ca = ca;
  }

  /** Opens an address without following redirects. A body is that of a form. */
  async open(url: string, form?: Record<string, string>): Promise<Seen> {
    this.visited.push(url);
    const { origin, pathname, search } = new URL(url);
    const isPortal = origin === this.#portal.baseUrl;
    const kept = this.cookies.get(origin) ?? new Map<string, string>();
    const headers = {
      ...this.headers,
      cookie: [...kept].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(form && { 'content-type': 'application/x-www-form-urlencoded', ...this.originOfForms }),
    };
    const body = form && new URLSearchParams(form).toString();
    const seen = isPortal
      ? await this.#ask(`${form ? 'POST' : 'GET'} ${pathname}${search}`, headers, body)
      : await foreign(url, headers, body, this.#ca());
    for (const line of seen.headers.getSetCookie()) keep(kept, line);
    this.cookies.set(origin, kept);
    return { ...seen, url };
  }

  /** Opens an address and follows redirects, and the page that opens another one. Stops at pages and at `until`. */
  async follow(url: string, until: (url: string) => boolean = () => false): Promise<Seen> {
    let [seen, next] = [await this.open(url), ''];
    for (let hops = 0; hops < 12; hops++) {
      const refresh = seen.headers.get('refresh')?.split('url=')[1];
      const to = seen.headers.get('location') ?? refresh;
      if (to === undefined) return seen;
      next = new URL(to, seen.url).href;
      if (until(next)) return { ...seen, url: next };
      seen = await this.open(next);
    }
    throw new Error(`too many redirects: ${this.visited.join(' ')}`);
  }

  /** Sends a request of a page of the portal. */
  async send(route: string, body?: unknown) {
    const { baseUrl } = this.#portal;
    const kept = this.cookies.get(baseUrl) ?? new Map<string, string>();
    const cookie = [...kept].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await this.#portal.send(route, {
      body,
      headers: { cookie, 'sec-fetch-site': 'same-origin', origin: baseUrl },
    });
    for (const line of answer.headers.getSetCookie()) keep(kept, line);
    this.cookies.set(baseUrl, kept);
    return answer;
  }

  async #ask(route: string, headers: Record<string, string>, body?: string): Promise<Omit<Seen, 'url'>> {
    const answer = await this.#portal.send(route, { headers, ...(body !== undefined && { body }) });
    const shown = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    return { status: answer.status, headers: answer.headers, body: shown };
  }
}

/** Whether the session of a browser at the portal has not ended. */
export const isAlive = async (browser: Browser): Promise<boolean> =>
  (await browser.send('POST /signin/token')).status === 200;

function keep(kept: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(';');
  const at = pair.indexOf('=');
  const isGone = attributes.some((one) => /^\s*(max-age=0|expires=.* 1970 .*)\s*$/i.test(one));
  if (isGone) kept.delete(pair.slice(0, at));
  else kept.set(pair.slice(0, at), pair.slice(at + 1));
}

const foreign = (
  url: string,
  headers: Record<string, string>,
  body: string | undefined,
  ca: string,
): Promise<Omit<Seen, 'url'>> =>
  new Promise((resolve, reject) => {
    const sent = httpsRequest(url, { method: body === undefined ? 'GET' : 'POST', headers, ca }, (answer) => {
      const found = new Headers();
      for (const [name, value] of Object.entries(answer.headers))
        for (const one of [value].flat()) if (one !== undefined) found.append(name, one);
      text(answer).then(
        (content) => resolve({ status: answer.statusCode ?? 0, headers: found, body: content }),
        reject,
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
