/** Longer ones name what is around the place: names come from the caller, and a problem repeats them in every entry. */
const longest = 512;

/**
 * A JSON Pointer (RFC 6901): `~` and `/` within a name are escaped, and the whole document is the empty text.
 * @param root `/` for a body, `?` for the parameters of a query
 */
export function pointerTo(path: readonly PropertyKey[], root: '/' | '?' = '/'): string {
  let pointer = '';
  for (const part of path) {
    const separator = pointer === '' ? root : '/';
    const next = `${pointer}${separator}${escaped(String(part))}`;
    if (next.length > longest) break;
    pointer = next;
  }
  return pointer === '' && root === '?' ? root : pointer;
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
