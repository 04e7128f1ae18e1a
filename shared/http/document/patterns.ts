/**
 * Whitespace of ASCII. The classes `\s`, `\d` and `\w` mean different sets in ECMAScript, Python and RE2, so that they are
 * written out. A server that also takes other whitespace stays as it is.
 */
const classes: Readonly<Record<string, string>> = {
  s: '\\t-\\r ',
  d: '0-9',
  w: 'A-Za-z0-9_',
  'p{Cc}': '\\x00-\\x1f\\x7f-\\x9f',
};

/** A group of flags, look-around, a back reference, a boundary, or a property that is not written out. */
const foreign = /\(\?[^:]|\\[1-9bBkpPuZzAGQE]/;

/**
 * The pattern in the syntax that ECMAScript, Python and RE2 share, so that generators of clients in any language can use it.
 * @returns undefined for a pattern that has no such form
 */
export function portablePattern(source: string): string | undefined {
  let isInClass = false;
  let isPortable = true;
  const written = source.replace(/\\p\{\w+\}|\\P\{\w+\}|\\.|\[|\]/gs, (token) => {
    if (token === '[' || token === ']') {
      isInClass = token === '[';
      return token;
    }
    const set = classes[token.slice(1).replace(/^[PSDW]/, (letter) => letter.toLowerCase())];
    if (set === undefined) return token === '\\/' ? '/' : token;
    if (/^\\[a-z]/.test(token)) return isInClass ? set : `[${set}]`;
    isPortable &&= !isInClass;
    return `[^${set}]`;
  });
  return isPortable && !foreign.test(written) ? written : undefined;
}
