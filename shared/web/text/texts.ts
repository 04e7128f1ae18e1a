declare global {
  /** The texts of the page in its language, compiled when the page was built. */
  var texts: Record<string, (values: Values) => string>;
}

type Values = Readonly<Record<string, string | number>>;

/** Texts of the frame. */
export type FrameText = keyof typeof import('../../messages/pages/frame.en.json');

/** Returns a text in the language of the page, with its values filled in. */
export type Say<Key extends string> = (key: Key, values?: Values) => string;

export const sayText: Say<string> = (key, values = {}) => globalThis.texts[key]?.(values) ?? key;

/** The texts of the frame. */
export const frameText: Say<FrameText> = sayText;

/** True if the page has a text of this name. */
export const hasText = (key: string): boolean => Object.hasOwn(globalThis.texts, key);
