import { useEffect } from 'preact/hooks';
import { shortcutOf } from '../../../../shared/web/keys/shortcuts.ts';
import type { Kind } from '../records/kinds.ts';
import { addressOf, open } from '../router/place.ts';
import { linkGroups } from '../shell/links.ts';

/** The event of `window` that opens the list of shortcuts. */
export const showShortcuts = 'show-shortcuts';

export const isApple = /mac|iphone|ipad/i.test(navigator.userAgent);

/** Milliseconds between `g` and the letter of a page. */
const sequenceMs = 1_500;

/** The letters of pages after `g`, by the first segment of their places. */
const letters: Readonly<Record<string, string>> = {
  ...{ '': 'o', servicespool: 'p', workplace: 'w', spsession: 'e', site: 's', farm: 'f', dispatcher: 'n' },
  ...{
    gateway: 'g',
    rule: 'r',
    tag: 't',
    maintenance_template: 'm',
    authenticator: 'd',
    role: 'l',
    audit: 'a',
  },
};

export type PageKey = { letter: string; segment: string; text: string };

/** The pages with a letter that the user may open. */
export const pageKeys = (kinds: readonly Kind[]): PageKey[] =>
  linkGroups(kinds)
    .flatMap(({ links }) => links)
    .flatMap(({ segment, text }) => {
      const letter = letters[segment];
      return letter === undefined ? [] : [{ letter, segment, text }];
    });

const addressOfLetter = (letter: string): string | undefined => {
  const found = Object.entries(letters).find(([, own]) => own === letter);
  return found && (found[0] === '' ? '#/' : addressOf([found[0]]));
};

/** Shortcuts of a single key, or of `g` and a key, on every page. Buttons and links declare theirs with `aria-keyshortcuts`. */
export function useKeys(): void {
  useEffect(() => {
    let startedAt = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent) => {
      const key = shortcutOf(event);
      if (key === undefined || event.repeat) return;
      const isSecond = event.timeStamp - startedAt < sequenceMs;
      startedAt = key === 'g' && !isSecond ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (isSecond ? openPage(key) : press(key)) event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

/** @returns false for a key without a page */
function openPage(letter: string): boolean {
  const address = addressOfLetter(letter);
  if (address !== undefined) open(address);
  return address !== undefined;
}

/** @returns false for a key without a use on this page */
function press(key: string): boolean {
  if (key === '?') return dispatchEvent(new Event(showShortcuts));
  if (key === 'j' || key === 'k') return focusRow();
  if (!/^[a-z]$/.test(key)) return false;
  const control = document.querySelector<HTMLElement>(`main [aria-keyshortcuts="${key}"]`);
  control?.click();
  return control !== null;
}

/** The rows themselves follow the keys as soon as one of them has the focus. */
function focusRow(): boolean {
  const row = document.querySelector<HTMLElement>('main tr[data-index]');
  row?.focus();
  return row !== null;
}
