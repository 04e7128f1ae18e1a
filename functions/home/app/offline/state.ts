import { isLanguage, type Language } from '../../../../shared/messages/languages.ts';

/**
 * What the service worker remembers for the time without the portal. Nothing in it concerns the user, so that it may stay
 * after the session.
 */
export type OfflineState = {
  /** When a request failed for the first time since the last answer, in milliseconds; absent while the portal answers. */
  failedAt?: number | undefined;
  /** The language of the last page. */
  language?: Language;
};

/** What a page reports to the service worker. */
export type Report = OfflineState & {
  /** `BUILD.build` of the page. */
  build: string;
  /** The page was opened now, and the portal answers. */
  isNew: boolean;
};

/** Names of caches begin with it: other pages of this origin have caches of their own. */
export const cachePrefix = 'home-';
const stateCache = `${cachePrefix}state`;
const stateAddress = '/home/state';

export const isStateCache = (name: string): boolean => name === stateCache;

/** @returns an empty state before the first report, or if the browser stores nothing */
export async function readState(): Promise<OfflineState> {
  try {
    const { failedAt, language }: Record<string, unknown> =
      (await (await caches.match(stateAddress, { cacheName: stateCache }))?.json()) ?? {};
    return {
      ...(typeof failedAt === 'number' && { failedAt }),
      ...(isLanguage(language) && { language }),
    };
  } catch {
    return {};
  }
}

export async function writeState(state: OfflineState): Promise<void> {
  const cache = await caches.open(stateCache);
  await cache.put(stateAddress, Response.json(state));
}
