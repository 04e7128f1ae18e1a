import type { Detail } from '../../messages/message.ts';
import { nextTurn } from '../concurrency/event-loop.ts';
import { attributeNames, elementNames, isReferring, safeFunctions, textElements } from './svg-names.ts';

/** Thrown and caught in this file only: the text is not what a strict reader understands. */
class Fault extends Error {
  readonly detail: Detail;

  constructor(detail: Detail) {
    super(detail);
    this.detail = detail;
  }
}

export const maxElements = 10_000;
export const maxAttributes = 1_000;
const maxDepth = 100;
/** Characters that are read before other work may run: one or two milliseconds. */
const sliceLength = 16_384;

const name = '[A-Za-z_][\\w.:-]*';
const value = `(?:"[^"<]*"|'[^'<]*')`;
/** What a document may consist of; whatever does not fit ends the reading. */
const token = new RegExp(
  [
    '<!--[^]*?-->',
    '<!\\[CDATA\\[([^]*?)\\]\\]>',
    // Without an internal subset there are no entities to expand.
    '(<!DOCTYPE\\s+svg\\b[^[\\]<>]*>)',
    `</(${name})\\s*>`,
    `<(${name})((?:\\s+${name}\\s*=\\s*${value})*)\\s*(/?)>`,
    // One reference at most, so that a text of many is read in slices as well.
    '(&[^<&]*|[^<&]+)',
  ].join('|'),
  'y',
);
const attribute = new RegExp(`\\s+(${name})\\s*=\\s*(${value})`, 'g');

/**
 * Reads a picture and writes it anew with only what is known to be harmless: shapes, text, gradients, filters. Scripts,
 * handlers, animations, foreign content, references to anything outside and what they contain are left out; what is not
 * understood, entities above all, is refused. The result read again gives itself. The text is read in slices, each in a
 * turn of the event loop of its own.
 * @returns the picture, or the fault for which it is refused
 */
export async function sanitiseSvg(text: string): Promise<{ svg: string } | { fault: Detail }> {
  try {
    const lines = storable(text.replace(/\r\n?/g, '\n'));
    return { svg: await new Writer().read(lines.replace(/^\s*<\?xml\s[^<>?]*\?>/, '')) };
  } catch (error) {
    if (error instanceof Fault) return { fault: error.detail };
    throw error;
  }
}

type Open = { name: string; isKept: boolean; id: string | undefined; hasUse: boolean };

class Writer {
  #output = '';
  #css = '';
  #elements = 0;
  readonly #open: Open[] = [];
  /** Elements that hold a `use`, and those that one refers to: when they meet, copies multiply without bound. */
  readonly #copying = new Set<string>();
  readonly #copied = new Set<string>();

  async read(text: string): Promise<string> {
    for (let at = 0; at < text.length; ) {
      if (at > 0) await nextTurn();
      at = this.#readSlice(text, at);
    }
    if (this.#open.length > 0 || this.#elements === 0) throw new Fault('The SVG is incomplete');
    if ([...this.#copied].some((id) => this.#copying.has(id)))
      throw new Fault('The SVG must not contain nested use elements');
    return this.#output;
  }

  /** @returns where the next slice begins: after the token with which this one is long enough */
  #readSlice(text: string, from: number): number {
    const end = Math.min(from + sliceLength, text.length);
    token.lastIndex = from;
    while (token.lastIndex < end) {
      const found = token.exec(text);
      if (!found) throw new Fault('The SVG is not well-formed or contains content that is not accepted');
      this.#take(found);
    }
    return token.lastIndex;
  }

  #take([, cdata, doctype, close, open, attributes = '', empty, text]: RegExpExecArray) {
    if (open !== undefined) this.#start(open, attributesOf(attributes), empty === '/');
    else if (close !== undefined) this.#end(close);
    else if (cdata !== undefined) this.#write(cdata);
    else if (text !== undefined) this.#write(decoded(text));
    else if (doctype !== undefined && this.#elements > 0) throw new Fault('The SVG is not well-formed');
  }

  #start(name: string, given: Map<string, string>, isEmpty: boolean): void {
    const parent = this.#open.at(-1);
    this.#assertPlace(name, parent);
    const isKept = (parent?.isKept ?? true) && elementNames.has(name);
    const kept = isKept ? keptOf(name, given) : [];
    this.#open.push({ name, isKept, id: valueIn(kept, 'id'), hasUse: false });
    if (isKept && name === 'use') this.#noteUse(valueIn(kept, 'href'));
    // What a style says is known at its end only.
    if (isKept && name !== 'style')
      this.#output += `<${name}${kept.map(written).join('')}${isEmpty ? '/' : ''}>`;
    if (isEmpty) this.#open.pop();
  }

  #assertPlace(name: string, parent: Open | undefined): void {
    if (!parent && (this.#elements > 0 || name !== 'svg'))
      throw new Fault('The root element must be a single svg element');
    if (++this.#elements > maxElements || this.#open.length >= maxDepth)
      throw new Fault('The SVG has too many elements');
    if (parent?.name === 'style') throw new Fault('A style element must contain only text');
  }

  #end(name: string): void {
    const element = this.#open.pop();
    if (element?.name !== name) throw new Fault('The opening and closing tags of the SVG do not match');
    if (!element.isKept) return;
    if (name !== 'style') this.#output += `</${name}>`;
    else if (this.#css.trim() !== '' && isSafeCss(this.#css))
      this.#output += `<style>${escaped(this.#css)}</style>`;
    this.#css = '';
  }

  #write(text: string): void {
    const element = this.#open.at(-1);
    if (!element && text.trim() !== '') throw new Fault('There is text outside the svg element');
    if (!element?.isKept) return;
    if (element.name === 'style') this.#css += text;
    else if (textElements.has(element.name)) this.#output += escaped(text);
  }

  #noteUse(href: string | undefined): void {
    // From the inside out, up to an element that is noted with all around it.
    for (const element of this.#open.toReversed()) {
      if (element.hasUse) break;
      element.hasUse = true;
      if (element.id !== undefined) this.#copying.add(element.id);
    }
    if (href !== undefined) this.#copied.add(href.slice(1));
  }
}

type Attribute = readonly [name: string, value: string];

const valueIn = (attributes: readonly Attribute[], wanted: string): string | undefined =>
  attributes.find(([name]) => name === wanted)?.[1];

function attributesOf(text: string): Map<string, string> {
  const found = new Map<string, string>();
  attribute.lastIndex = 0;
  for (let next = attribute.exec(text); next; next = attribute.exec(text)) {
    const [, name = '', quoted = ''] = next;
    if (found.has(name)) throw new Fault('An attribute occurs twice');
    if (found.size === maxAttributes) throw new Fault('An element of the SVG has too many attributes');
    found.set(name, decoded(quoted.slice(1, -1)).replace(/[\t\n]/g, ' '));
  }
  return found;
}

/** The attributes that stay; namespaces are written, never taken over, and links lose theirs. */
function keptOf(element: string, given: Map<string, string>): Attribute[] {
  const link = given.get('href') ?? given.get('xlink:href');
  const plain = [...given].filter(([name, value]) => attributeNames.has(name) && isSafeCss(value));
  return [
    ...(element === 'svg' ? [['xmlns', 'http://www.w3.org/2000/svg'] as const] : []),
    ...plain,
    ...(link !== undefined && isReferring(element, link) ? [['href', link.trim()] as const] : []),
  ];
}

const written = ([name, value]: Attribute): string =>
  ` ${name}="${escaped(value).replaceAll('"', '&quot;')}"`;

/** CSS that loads nothing: no at-rules, no escapes that could spell one, and only functions that are known. */
function isSafeCss(css: string): boolean {
  if (/[@\\<]/.test(css)) return false;
  const parts = css.includes('(') ? css.split('(') : [];
  return parts.every((after, at) => at === 0 || isSafeCall(parts[at - 1] ?? '', after));
}

/** Longer than the name of any function that is known. */
const longestName = 20;

/** The text between two parentheses is looked at from both of its ends, and never searched. */
function isSafeCall(before: string, after: string): boolean {
  const end = before.trimEnd().slice(-longestName);
  const name = end.slice(end.search(/[\w-]*$/)).toLowerCase();
  return safeFunctions.has(name) || (name === 'url' && /^\s*['"]?#/.test(after));
}

const named = new Map(Object.entries({ lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }));

/** Text with its references resolved: the five of XML, and characters by number. */
const decoded = (text: string): string =>
  text.includes('&')
    ? storable(text.replace(reference, (_, word, number) => characterOf(word, number)))
    : text;

const reference = /&(?:([a-z]+);|#(x[0-9a-fA-F]{1,6}|[0-9]{1,7});)?/g;

function characterOf(word: string | undefined, number: string | undefined): string {
  const code = Number(number?.replace('x', '0x') ?? Number.NaN);
  const character = code <= 0x10ffff ? String.fromCodePoint(code) : named.get(word ?? '');
  if (character === undefined) throw new Fault('The SVG contains an unknown entity');
  return character;
}

/** XML has no control characters but tab and line feed, and no half surrogate pairs. */
function storable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]/.test(text) || !text.isWellFormed())
    throw new Fault('The SVG contains characters that XML does not allow');
  return text;
}

const escaped = (text: string): string => (/[&<>]/.test(text) ? withReferences(text) : text);

const withReferences = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
