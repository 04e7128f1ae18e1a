/** What costs a reader of SVG most, each as large as a picture may be. */
const mostBytes = 262_144;
const full = (item: string, less = 200): string =>
  item.repeat(Math.floor((mostBytes - less - 40) / item.length));
const svg = (inner: string): string => `<svg xmlns="http://www.w3.org/2000/svg">${inner}</svg>`;
const distinct = (count: number, item: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => item(n)).join('');

const documents: Record<string, string> = {
  elements: svg(distinct(9_990, () => '<path d="M0 0L9 9"/>')),
  attributes: svg(`<g ${distinct(26_000, (n) => ` a${n}="0"`)}/>`),
  'kept attributes': svg(
    distinct(3_000, (n) => `<rect id="r${n}" x="1" y="2" width="3" height="4" fill="#ffffff" stroke="red"/>`),
  ),
  style: svg(`<style>${full('rgb( ')}</style>`),
  entities: svg(`<text>${full('&#x4e00;')}</text>`),
  ampersands: svg(`<text>${full('&amp;')}</text>`),
  text: svg(`<text>${full('x')}</text>`),
  comments: svg(full('<!---->')),
  unfinished: `<svg ${full('a="" ', 10)}`,
  uses: svg(distinct(4_000, (n) => `<g id="g${n}"><use href="#u${n}"/></g>`)),
};

const base64 = (text: string): string =>
  `data:image/svg+xml;base64,${Buffer.from(text.slice(0, mostBytes)).toString('base64')}`;
const percent = (text: string): string =>
  `data:image/svg+xml,${[...Buffer.from(text.slice(0, mostBytes))].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')}`;

/** Data URIs of pictures, by what they are. */
export const pictures: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.entries(documents).map(([name, text]) => [`SVG of ${name}`, base64(text)]),
  ['SVG in percent', percent(documents.elements ?? '')],
]);
