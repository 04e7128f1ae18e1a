import type { Detail } from '../../messages/message.ts';
import { nextTurn } from '../concurrency/event-loop.ts';
import { attributeNames, elementNames, isReferring, safeFunctions, textElements } from './svg-names.ts';

/** A parse error; thrown and caught in this file only. */
class SvgError extends Error {
  readonly detail: Detail;

  constructor(detail: Detail) {
    super(detail);
    this.detail = detail;
  }
}

export const maxElements = 10_000;
export const maxAttributes = 1_000;
const maxDepth = 100;
/** Characters processed per turn of the event loop: one to two milliseconds. */
const sliceLength = 16_384;

const name = '[A-Za-z_][\\w.:-]*';
const value = `(?:"[^"<]*"|'[^'<]*')`;
/** The tokens of a document. Any other text is an error. */
const token = new RegExp(
  [
    '<!--[^]*?-->',
    '<!\\[CDATA\\[([^]*?)\\]\\]>',
    // A DOCTYPE without an internal subset defines no entities.
    '(<!DOCTYPE\\s+svg\\b[^[\\]<>]*>)',
    `</(${name})\\s*>`,
    `<(${name})((?:\\s+${name}\\s*=\\s*${value})*)\\s*(/?)>`,
    // At most one reference per token, so that text with many references is also sliced.
    '(&[^<&]*|[^<&]+)',
  ].join('|'),
  'y',
);
const attribute = new RegExp(`\\s+(${name})\\s*=\\s*(${value})`, 'g');

/**
 * Rewrites an SVG with an allow-list of harmless elements: shapes, text, gradients, filters. Scripts, event handlers,
 * animations, foreign content and external references are removed with their content. Text that cannot be parsed is
 * rejected, entities in particular. Sanitising is idempotent. The text is processed in slices, one per turn of the
 * event loop.
 * @returns the picture, or the error for which it is rejected
 */
export async function sanitiseSvg(text: string): Promise<{ svg: string } | { fault: Detail }> {
  try {
    const lines = storable(text.replace(/\r\n?/g, '\n'));
    return { svg: await new Writer().read(lines.replace(/^\s*<\?xml\s[^<>?]*\?>/, '')) };
  } catch (error) {
    if (error instanceof SvgError) return { fault: error.detail };
    throw error;
  }
}

type OpenElement = { name: string; isAllowed: boolean; id: string | undefined; hasUse: boolean };

class Writer {
  #output = '';
  #css = '';
  #elements = 0;
  readonly #open: OpenElement[] = [];
  /**
   * Ids of elements that contain a `use`, and ids that a `use` refers to. If the sets overlap, copies multiply
   * exponentially.
   */
  readonly #copying = new Set<string>();
  readonly #copied = new Set<string>();

  async read(text: string): Promise<string> {
    for (let at = 0; at < text.length; ) {
      if (at > 0) await nextTurn();
      at = this.#readSlice(text, at);
    }
    if (this.#open.length > 0 || this.#elements === 0) throw new SvgError('The SVG is incomplete');
    if ([...this.#copied].some((id) => this.#copying.has(id)))
      throw new SvgError('The SVG must not contain nested use elements');
    return this.#output;
  }

  /** @returns the start of the next slice: the end of the token that completes this slice */
  #readSlice(text: string, from: number): number {
    const end = Math.min(from + sliceLength, text.length);
    token.lastIndex = from;
    while (token.lastIndex < end) {
      const found = token.exec(text);
      if (!found) throw new SvgError('The SVG is not well-formed or contains content that is not accepted');
      this.#take(found);
    }
    return token.lastIndex;
  }

  #take([, cdata, doctype, close, open, attributes = '', empty, text]: RegExpExecArray) {
    if (open !== undefined) this.#start(open, attributesOf(attributes), empty === '/');
    else if (close !== undefined) this.#end(close);
    else if (cdata !== undefined) this.#write(cdata);
    else if (text !== undefined) this.#write(decoded(text));
    else if (doctype !== undefined && this.#elements > 0) throw new SvgError('The SVG is not well-formed');
  }

  #start(name: string, attributes: Map<string, string>, isEmpty: boolean): void {
    const parent = this.#open.at(-1);
    this.#assertPlace(name, parent);
    const isAllowed = (parent?.isAllowed ?? true) && elementNames.has(name);
    const allowed = isAllowed ? allowedAttributes(name, attributes) : [];
    this.#open.push({ name, isAllowed, id: valueIn(allowed, 'id'), hasUse: false });
    if (isAllowed && name === 'use') this.#noteUse(valueIn(allowed, 'href'));
    // A style is checked and written at its end tag.
    if (isAllowed && name !== 'style')
      this.#output += `<${name}${allowed.map(written).join('')}${isEmpty ? '/' : ''}>`;
    if (isEmpty) this.#open.pop();
  }

  #assertPlace(name: string, parent: OpenElement | undefined): void {
    if (!parent && (this.#elements > 0 || name !== 'svg'))
      throw new SvgError('The root element must be a single svg element');
    if (++this.#elements > maxElements || this.#open.length >= maxDepth)
      throw new SvgError('The SVG has too many elements');
    if (parent?.name === 'style') throw new SvgError('A style element must contain only text');
  }

  #end(name: string): void {
    const element = this.#open.pop();
    if (element?.name !== name) throw new SvgError('The opening and closing tags of the SVG do not match');
    if (!element.isAllowed) return;
    if (name !== 'style') this.#output += `</${name}>`;
    else if (this.#css.trim() !== '' && isSafeCss(this.#css))
      this.#output += `<style>${escaped(this.#css)}</style>`;
    this.#css = '';
  }

  #write(text: string): void {
    const element = this.#open.at(-1);
    if (!element && text.trim() !== '') throw new SvgError('There is text outside the svg element');
    if (!element?.isAllowed) return;
    if (element.name === 'style') this.#css += text;
    else if (textElements.has(element.name)) this.#output += escaped(text);
  }

  #noteUse(href: string | undefined): void {
    // From the inside out, up to the first element that is marked; its ancestors are marked already.
    for (const element of this.#open.toReversed()) {
      if (element.hasUse) break;
      element.hasUse = true;
      if (element.id !== undefined) this.#copying.add(element.id);
    }
    if (href !== undefined) this.#copied.add(href.slice(1));
  }
}

type Attribute = readonly [name: string, value: string];

const valueIn = (attributes: readonly Attribute[], searchedName: string): string | undefined =>
  attributes.find(([name]) => name === searchedName)?.[1];

function attributesOf(text: string): Map<string, string> {
  const found = new Map<string, string>();
  attribute.lastIndex = 0;
  for (let next = attribute.exec(text); next; next = attribute.exec(text)) {
    const [, name = '', quoted = ''] = next;
    if (found.has(name)) throw new SvgError('An attribute occurs twice');
    if (found.size === maxAttributes) throw new SvgError('An element of the SVG has too many attributes');
    found.set(name, decoded(quoted.slice(1, -1)).replace(/[\t\n]/g, ' '));
  }
  return found;
}

/** The attributes to keep. The namespace is written anew, and `xlink:href` becomes `href`. */
function allowedAttributes(element: string, attributes: Map<string, string>): Attribute[] {
  const link = attributes.get('href') ?? attributes.get('xlink:href');
  const plain = [...attributes].filter(([name, value]) => attributeNames.has(name) && isSafeCss(value));
  return [
    ...(element === 'svg' ? [['xmlns', 'http://www.w3.org/2000/svg'] as const] : []),
    ...plain,
    ...(link !== undefined && isReferring(element, link) ? [['href', link.trim()] as const] : []),
  ];
}

const written = ([name, value]: Attribute): string =>
  ` ${name}="${escaped(value).replaceAll('"', '&quot;')}"`;

/** True for CSS that loads nothing: no at-rules, no escapes that could spell one, and only known functions. */
function isSafeCss(css: string): boolean {
  if (/[@\\<]/.test(css)) return false;
  const parts = css.includes('(') ? css.split('(') : [];
  return parts.every((after, at) => at === 0 || isSafeCall(parts[at - 1] ?? '', after));
}

/** Longer than any known function name. */
const longestName = 20;

/** Checks only the ends of the text between two parentheses, in constant time. */
function isSafeCall(before: string, after: string): boolean {
  const end = before.trimEnd().slice(-longestName);
  const name = end.slice(end.search(/[\w-]*$/)).toLowerCase();
  return safeFunctions.has(name) || (name === 'url' && /^\s*['"]?#/.test(after));
}

const named = new Map(Object.entries({ lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }));

/** Resolves the five XML entities and character references. */
const decoded = (text: string): string =>
  text.includes('&')
    ? storable(text.replace(reference, (_, word, number) => characterOf(word, number)))
    : text;

const reference = /&(?:([a-z]+);|#(x[0-9a-fA-F]{1,6}|[0-9]{1,7});)?/g;

function characterOf(word: string | undefined, number: string | undefined): string {
  const code = Number(number?.replace('x', '0x') ?? Number.NaN);
  const character = code <= 0x10ffff ? String.fromCodePoint(code) : named.get(word ?? '');
  if (character === undefined) throw new SvgError('The SVG contains an unknown entity');
  return character;
}

/** Rejects control characters that XML does not allow, and lone surrogates. */
function storable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]/.test(text) || !text.isWellFormed())
    throw new SvgError('The SVG contains characters that XML does not allow');
  return text;
}

const escaped = (text: string): string => (/[&<>]/.test(text) ? withReferences(text) : text);

const withReferences = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
