/**
 * The form in which names are compared and sorted: NFC, lower case, trimmed; unique keys are built on it. Lower case
 * may have a composed form where upper case has none (J with caron), so it is composed again.
 */
export const foldName = (name: string): string => name.normalize('NFC').trim().toLowerCase().normalize('NFC');

/** True when the text has a letter, digit, sign or mark of punctuation; those that are blank by design are none. */
export const isVisible = (text: string): boolean =>
  /(?![\u115f\u1160\u2800\u3164\uffa0])[\p{L}\p{N}\p{P}\p{S}]/u.test(text);

/**
 * True when the text has no default-ignorable code point (Unicode, DerivedCoreProperties): those are not drawn, so that a
 * name with one reads like another name. Joiners and variation selectors are among them.
 */
export const isWithoutIgnorables = (text: string): boolean => !/\p{Default_Ignorable_Code_Point}/u.test(text);

/** Dispatchers read the subject `aggregator` of a token as the portal itself, unless they read its domain as well. */
export const isReservedUserName = (name: string): boolean =>
  foldName(name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '')) === 'aggregator';

/** A `LIKE` pattern for "contains", with the metacharacters of the search text escaped by a backslash. */
export const containsPattern = (search: string): string =>
  `%${foldName(search).replace(/[\\%_]/g, (c) => `\\${c}`)}%`;

/** True when PostgreSQL can store the text: no NUL, and no half of a surrogate pair. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Control characters written as `\\uXXXX`, so that a name can forge neither a log line nor an audit line. */
export const escapeControls = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A path without trailing slashes, in linear time: the regular expression for it backtracks over runs of slashes. */
export function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === '/') end--;
  return path.slice(0, end);
}
