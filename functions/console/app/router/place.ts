import { useEffect, useState } from 'preact/hooks';

/**
 * The place in the console: the part of the address after `#`. It is not sent to the server, so one document serves all
 * places.
 */
export type Place = {
  /** Of the path, decoded; none for the overview. */
  segments: readonly string[];
  query: URLSearchParams;
};

export type Query = Readonly<Record<string, string | undefined>>;

export function placeOf(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#/, '').split(/\?(.*)/s);
  const segments = path.split('/').filter((segment) => segment !== '');
  return { segments: segments.map(decoded), query: new URLSearchParams(query) };
}

/** A link that a person has changed must not stop the page. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The address of a place, for links. Members of the query without a value are left out. */
export function addressOf(segments: readonly string[], query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []));
  const text = new URLSearchParams(given).toString();
  return `#/${segments.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

/** Opens a place. @param isSame the place stays the same for the history of the browser, such as after a filter changed */
export function open(address: string, { isSame = false } = {}): void {
  if (isSame) history.replaceState(history.state, '', address);
  else history.pushState(null, '', address);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** The current place; the component is drawn again when it changes. */
export function usePlace(): Place {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const note = () => setHash(location.hash);
    addEventListener('hashchange', note);
    addEventListener('popstate', note);
    note();
    return () => {
      removeEventListener('hashchange', note);
      removeEventListener('popstate', note);
    };
  }, []);
  return placeOf(hash);
}

/** The query of a place with changed members, for links and `open`. */
export const changedQuery = (query: URLSearchParams, changes: Query): Query => ({
  ...Object.fromEntries(query),
  ...changes,
});
