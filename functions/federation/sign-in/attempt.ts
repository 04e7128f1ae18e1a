import { sha256 } from '../../../shared/kernel/crypto/digests.ts';
import type { Sealer } from '../../../shared/kernel/crypto/sealing.ts';
import type { Language } from '../../../shared/messages/languages.ts';

/** A sign-in that waits for the answer of a provider. The browser keeps it, so that a start writes nothing here. */
export type Attempt = {
  domainId: string;
  state: string;
  nonce: string;
  codeVerifier: string;
  next: string | undefined;
  portal: 'admin' | 'user' | undefined;
  language: Language | undefined;
  /** SHA-256 of the token of the session that the browser has. Its cookie does not come with the answer of the provider. */
  formerSession: string | undefined;
  /** The provider must ask the person again. */
  fresh: boolean;
  /** Identifier of the test that this is: it opens no session. */
  test: string | undefined;
  /** Milliseconds since 1970. */
  expiresAt: number;
};

export const attemptLifeS = 600;
/** Sign-ins that one browser can have open. Each has a cookie, and browsers send all of them. */
const mostAttempts = 5;
const prefix = '__Host-oidc-';

/** Several tabs can sign in at once, so each attempt has a cookie of its own name. */
const nameOf = (state: string): string => `${prefix}${sha256(state).slice(0, 16)}`;

/** The cookie is sent with the answer of the provider: `None` is needed only if that answer is a form. */
const attributesOf = (sameSite: 'Lax' | 'None'): string => `Path=/; Secure; HttpOnly; SameSite=${sameSite}`;

/** Not a table: the browser keeps the value. */
const placeOf = (row: string) => ({ table: prefix, row, column: 'attempt' });

/** The values of `Set-Cookie` for a new attempt. Surplus attempts of the browser are removed. */
export async function attemptCookies(
  sealer: Sealer,
  attempt: Attempt,
  sameSite: 'Lax' | 'None',
  present: ReadonlyMap<string, string>,
): Promise<string[]> {
  const name = nameOf(attempt.state);
  const sealed = await sealer.seal(JSON.stringify(attempt), placeOf(name));
  const open = [...present.keys()].filter((key) => key.startsWith(prefix));
  const surplus = open.slice(0, Math.max(0, open.length + 1 - mostAttempts));
  return [
    `${name}=${sealed}; ${attributesOf(sameSite)}; Max-Age=${attemptLifeS}`,
    ...surplus.map((key) => removal(key, sameSite)),
  ];
}

/** The value of `Set-Cookie` that removes the cookie of an attempt. */
export const withoutAttempt = ({ state }: Pick<Attempt, 'state'>, sameSite: 'Lax' | 'None'): string =>
  removal(nameOf(state), sameSite);

const removal = (name: string, sameSite: 'Lax' | 'None'): string =>
  `${name}=; ${attributesOf(sameSite)}; Max-Age=0`;

/** The attempt of this browser with a state. Undefined if it is of another browser, altered or expired. */
export async function attemptOf(
  sealer: Sealer,
  cookies: ReadonlyMap<string, string>,
  state: string,
  now: Date,
): Promise<Attempt | undefined> {
  const name = nameOf(state);
  const sealed = cookies.get(name);
  if (sealed === undefined) return undefined;
  const text = await sealer.open(sealed, placeOf(name)).catch(() => undefined);
  if (text === undefined) return undefined;
  const attempt: Attempt = JSON.parse(text);
  return attempt.state === state && attempt.expiresAt > now.getTime() ? attempt : undefined;
}
