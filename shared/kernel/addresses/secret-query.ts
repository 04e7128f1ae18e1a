/** Stands for the query of an address in rows, answers and audit events. */
const mask = '?…';

/** True for an address from an answer of the portal: its query is not known. */
export const isMasked = (text: string): boolean => text.endsWith(mask);

export const masked = (text: string): string => text + mask;
export const withoutMask = (text: string): string => (isMasked(text) ? text.slice(0, -mask.length) : text);

/** The address that requests are sent to. @param query with the question mark */
export const withQuery = (shown: string, query: string): string => withoutMask(shown) + query;

/** Divides an address into the form that may be shown, and its query, which is null if it has none. */
export function splitQuery(text: string): { shown: string; query: string | null } {
  const at = text.indexOf('?');
  return at === -1
    ? { shown: text, query: null }
    : { shown: masked(text.slice(0, at)), query: text.slice(at) };
}
