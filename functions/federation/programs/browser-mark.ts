import type { RequestCtx } from '../../../shared/http/context.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import type { FederationDeps } from '../deps.ts';

/** As long as the longest lock, so that a lock does not end earlier in a browser that keeps its cookies. */
const lifeS = 3_600;
const name = '__Host-device-tries';
const place = { table: name, row: '', column: 'browser' };

/** A browser among those that share an address. `cookie` is a value of `Set-Cookie`. */
type BrowserMark = { id: string; cookie: string };

/**
 * Returns the mark of the browser, or a new one if it has none of this portal. Removing the cookie gives a browser another mark, so the
 * mark only separates browsers from each other, and limits of the address apply as well.
 */
export async function browserMark({ client, deps }: RequestCtx<FederationDeps>): Promise<BrowserMark> {
  const sealed = client.cookies().get(name) ?? '';
  const known = await deps.attemptSealer.open(sealed, place).catch(() => undefined);
  const id = known ?? newId();
  const value = known === undefined ? await deps.attemptSealer.seal(id, place) : sealed;
  return { id, cookie: `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=${lifeS}` };
}
