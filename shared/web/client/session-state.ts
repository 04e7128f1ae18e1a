import { factsOf, type PageFacts, type PublicPageFacts } from './facts.ts';

/** `foreign`: another user has signed in in this browser, and the page is still that of the former user. */
export type SessionState = 'valid' | 'ended' | 'foreign';

/** The event of `window` when the state of the session has changed. */
export const sessionChanged = 'session-changed';

/** The user of the page. Pages without a session, such as the sign-in page, have none. */
const owner = factsOf<PublicPageFacts & Partial<PageFacts>>().user?.id;

let state: SessionState = 'valid';

export const sessionState = (): SessionState => state;

/** Notes the state that a request has found. */
export function noteSession(found: SessionState): void {
  if (state === found) return;
  state = found;
  window.dispatchEvent(new Event(sessionChanged));
}

/** True if the page may use a token of this user. Portals of earlier versions do not name the user. */
export const isOwner = (user: string | undefined): boolean =>
  owner === undefined || user === undefined || user === owner;

/** Announces to other pages of the browser whose session it has now; null after a sign-out. */
export const announceSession = (user: string | null): void => channel?.postMessage(user);

const channel = owner === undefined ? undefined : new BroadcastChannel('session');

/**
 * Watches for a sign-in or sign-out on other pages of the browser.
 * @param check finds the state. A message alone proves nothing: its page may have been opened before the last sign-in
 */
export function watchSession(check: () => void): void {
  if (!channel || owner === undefined) return;
  channel.addEventListener('message', ({ data }) => {
    if (data !== owner || state !== 'valid') check();
  });
  announceSession(owner);
}
