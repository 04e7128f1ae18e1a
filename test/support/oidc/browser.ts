import { request } from 'node:https';

export type Page = { status: number; location: string | undefined; body: string; url: string };
type Form = Record<string, string>;

/** A browser with cookies that trusts one authority. It opens pages without running scripts. */
export function createBrowser(ca: string) {
  const cookies = new Map<string, string>();
  const send = (url: string, form?: Form): Promise<Page> =>
    new Promise((resolve, reject) => {
      const headers = {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      };
      const outgoing = request(
        url,
        { method: form ? 'POST' : 'GET', ca, headers, agent: false },
        (answer) => {
          for (const line of answer.headers['set-cookie'] ?? []) keep(cookies, line);
          const parts: Buffer[] = [];
          answer.on('data', (part: Buffer) => parts.push(part));
          answer.on('end', () => {
            const to = answer.headers.location;
            const location = to === undefined ? undefined : new URL(to, url).href;
            resolve({ status: answer.statusCode ?? 0, location, body: Buffer.concat(parts).toString(), url });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(form && new URLSearchParams(form).toString());
    });
  return {
    send,
    /** Follows redirects until an address with this beginning, which is not opened. */
    open: async (url: string, until: string, form?: Form): Promise<string> => {
      let page = await send(url, form);
      for (let hops = 0; page.location !== undefined && hops < 10; hops++) {
        if (page.location.startsWith(until)) return page.location;
        page = await send(page.location);
      }
      throw new Error(`${page.url}: ${page.status} ${page.body.slice(0, 500)}`);
    },
  };
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = ''] = line.split(';');
  const at = pair.indexOf('=');
  cookies.set(pair.slice(0, at), pair.slice(at + 1));
}
