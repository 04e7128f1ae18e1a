import { adminPassword, type TestPortal } from '../portal.ts';

/** A user who signs in. Without the name of a domain, it is the built-in one. */
export type Account = { domain?: string; name: string; password: string };

export const administrator: Account = { name: 'admin', password: adminPassword };

type SessionCookie = { name: string; value: string; url: string; httpOnly: boolean; secure: boolean };

/**
 * Starts a session by the request of the sign-in page, for tests whose subject is another page.
 * @param origin of the portal
 * @returns its cookie, for a browser
 */
export async function startSession(
  portal: TestPortal,
  origin: string,
  { domain, name, password }: Account,
): Promise<SessionCookie> {
  const { status, headers, body } = await portal.send('POST /signin', {
    body: {
      username: name,
      password,
      ...(domain === undefined ? { authSmallName: 'builtin' } : { auth: domain }),
    },
    headers: { origin, 'sec-fetch-site': 'same-origin' },
  });
  const cookie = /^([^=]+)=([^;]+)/.exec(headers.get('set-cookie') ?? '');
  if (!cookie) throw new Error(`the sign-in of ${name} was refused: ${status} ${JSON.stringify(body)}`);
  const [, cookieName = '', value = ''] = cookie;
  return { name: cookieName, value, url: origin, httpOnly: true, secure: true };
}
