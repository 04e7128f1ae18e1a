/**
 * Longest pointer in characters; a longer one is cut at a parent. Names come from the caller, and every error entry
 * repeats them.
 */
const longest = 512;

/**
 * A JSON Pointer (RFC 6901): `~` and `/` in a name are escaped, and the whole document is the empty string.
 * @param root `/` for a body, `?` for query parameters
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
