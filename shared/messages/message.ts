import type { Language } from './languages.ts';
import { details } from './ru/details.ts';

/** A sentence of the catalogue: its English text is its key. */
export type Detail = keyof typeof details;

/** The names between braces in a text. */
type Places<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Places<Rest>
  : never;

type Value = string | number | Message;

/** A text that is put together for the language of its reader. It is English wherever it is used as a string. */
export class Message {
  readonly in: (language: Language) => string;

  constructor(write: (language: Language) => string) {
    this.in = write;
  }

  toString(): string {
    return this.in('en');
  }

  toJSON(): string {
    return this.in('en');
  }
}

/** What a refusal or a report says: a sentence of the catalogue, with or without values. */
export type Text = Detail | Message;

/**
 * A sentence with values.
 * @param values by the names between braces; a value that is itself a message is translated, any other stays as it is
 */
export const message = <T extends Detail>(template: T, values: Readonly<Record<Places<T>, Value>>): Message =>
  new Message((language) => fill(translated(template, language), values, language));

/** A word or sentence of the catalogue as a value of another message. */
export const term = (text: Detail): Message => new Message((language) => translated(text, language));

/** A text from elsewhere, such as the answer of a directory: it has no translation. */
export const verbatim = (text: string): Message => new Message(() => text);

/** Several texts as one. */
export const joined = (texts: readonly Text[], separator: string | Message): Message =>
  new Message((language) =>
    texts
      .map((text) => inLanguage(text, language))
      .join(separator instanceof Message ? separator.in(language) : separator),
  );

/** True if the catalogue has the text. */
export const isDetail = (text: string): text is Detail => Object.hasOwn(details, text);

/** The text in a language; a text that is not in the catalogue stays as it is. */
export function inLanguage(text: Text | string, language: Language): string {
  if (text instanceof Message) return text.in(language);
  return isDetail(text) ? translated(text, language) : text;
}

const translated = (text: Detail, language: Language): string => (language === 'en' ? text : details[text]);

const fill = (text: string, values: Readonly<Record<string, Value>>, language: Language): string =>
  text.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name] ?? place;
    return value instanceof Message ? value.in(language) : String(value);
  });
