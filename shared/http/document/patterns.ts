/**
 * ASCII equivalents of character classes. `\s`, `\d` and `\w` mean different sets in ECMAScript, Python and RE2, so
 * they are expanded. The server can accept further whitespace characters.
 */
const classes: Readonly<Record<string, string>> = {
  s: '\\t-\\r ',
  d: '0-9',
  w: 'A-Za-z0-9_',
  'p{Cc}': '\\x00-\\x1f\\x7f-\\x9f',
};

/**
 * Syntax that is not portable: flag groups, look-around, back references, boundaries, and properties that are not
 * expanded.
 */
const foreign = /\(\?[^:]|\\[1-9bBkpPuZzAGQE]/;

/**
 * Returns the pattern in the syntax that ECMAScript, Python and RE2 share, for client generators of any language.
 * @returns undefined if the pattern has no such form
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
