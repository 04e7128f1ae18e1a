/**
 * The form in which names are compared, sorted and kept unique: NFC, lower case, trimmed. Lower-casing can create a
 * decomposed sequence (J with caron), so the text is normalised again.
 */
export const foldName = (name: string): string =>
  isAscii(name) ? name.trim().toLowerCase() : name.normalize('NFC').trim().toLowerCase().normalize('NFC');

/** ASCII has only one form, and most names are ASCII: lists fold hundreds of them. */
const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/**
 * True if the text has a letter, digit, symbol or punctuation mark that is visible; Hangul fillers and the Braille
 * blank are not.
 */
export const isVisible = (text: string): boolean =>
  /(?![\u115f\u1160\u2800\u3164\uffa0])[\p{L}\p{N}\p{P}\p{S}]/u.test(text);

/**
 * True if the text has no default-ignorable code point (Unicode, DerivedCoreProperties), such as joiners and
 * variation selectors. They are not displayed, so a name with one looks like another name.
 */
export const isWithoutIgnorables = (text: string): boolean => !/\p{Default_Ignorable_Code_Point}/u.test(text);

/** Dispatchers that ignore the domain of a token take the subject `aggregator` for the portal itself. */
export const isReservedUserName = (name: string): boolean => plainest(name) === 'aggregator';

/** Names that the audit log gives to work without a user. A user with one of them could be taken for that work. */
export const isNameOfWork = (name: string): boolean =>
  /^(?:system|job|anonymous)$|^(?:system|job|peer):/.test(plainest(name));

/** The form of a name in which those that look alike are equal, as far as Unicode says so. */
const plainest = (name: string): string =>
  foldName(name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, ''));

/** A `LIKE` pattern for "contains", with the metacharacters of the search text escaped by a backslash. */
export const containsPattern = (search: string): string =>
  `%${foldName(search).replace(/[\\%_]/g, (c) => `\\${c}`)}%`;

/** True when PostgreSQL can store the text: no NUL, and no half of a surrogate pair. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** At most the first characters of a text. A cut through a surrogate pair leaves a text that PostgreSQL can store. */
export const startOf = (text: string, most: number): string => text.slice(0, most).toWellFormed();

/** Escapes control characters as `\\uXXXX`, so that a name cannot forge a line in the log or the audit. */
export const escapeControls = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * A path without trailing slashes, in linear time. The equivalent regular expression backtracks over runs of slashes.
 */
export function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === '/') end--;
  return path.slice(0, end);
}
