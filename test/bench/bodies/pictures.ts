/** The images that take longest to check, each of the maximum size. */
const mostBytes = 262_144;
const open = '<svg xmlns="http://www.w3.org/2000/svg">';
const close = '</svg>';
const room = mostBytes - open.length - close.length;

/** As many items as fit, up to a maximum. */
function filled(item: (n: number) => string, { most = Number.POSITIVE_INFINITY, less = 0 } = {}): string {
  const items: string[] = [];
  for (let size = 0; items.length < most; ) {
    const next = item(items.length);
    size += Buffer.byteLength(next);
    if (size > room - less) break;
    items.push(next);
  }
  return items.join('');
}
const full = (item: string, less?: number): string => filled(() => item, { less });
const svg = (inner: string): string => `${open}${inner}${close}`;
/** Around the texts and styles below. */
const tags = 64;
const most = 9_990;

const documents: Record<string, string> = {
  elements: svg(filled(() => '<path d="M0 0L9 9"/>', { most })),
  'small elements': svg(filled(() => '<g/>', { most })),
  'unknown elements': svg(filled(() => '<a/>', { most })),
  attributes: svg(`<g ${filled((n) => ` a${n}="0"`, { less: tags })}/>`),
  'attributes of elements': svg(
    filled((at) => `<g ${Array.from({ length: 990 }, (_, n) => `a${at}_${n}=""`).join(' ')}/>`),
  ),
  'small attributes': svg(filled(() => `<g a="" b="" c="" d="" e="" f="" g="" h="" i="" j=""/>`)),
  'kept attributes': svg(
    filled((n) => `<rect id="r${n}" x="1" y="2" width="3" height="4" fill="#ffffff" stroke="red"/>`),
  ),
  style: svg(`<style>${full('rgb( ', tags)}</style>`),
  'styles with spaces': svg(`<style>${full(`rgb${' '.repeat(30)}(${' '.repeat(30)}`, tags)}</style>`),
  'local styles': svg(`<style>${full('url(#', tags)}</style>`),
  'style attributes': svg(filled(() => '<g style="fill:rgb(0,0,0)"/>', { most })),
  entities: svg(`<text>${full('&#x4e00;', tags)}</text>`),
  ampersands: svg(`<text>${full('&amp;', tags)}</text>`),
  'ampersands in an attribute': svg(`<g d="${full('&amp;', tags)}"/>`),
  'references in a style': svg(`<style>${full('&gt;', tags)}</style>`),
  text: svg(`<text>${full('x', tags)}</text>`),
  lines: svg(`<text>${full('\r', tags)}</text>`),
  'lines in an attribute': svg(`<g d="${full('\n', tags)}"/>`),
  comments: svg(full('<!---->')),
  sections: svg(`<text>${full('<![CDATA[&]]>', tags)}</text>`),
  unfinished: `<svg ${full('a="" ')}`,
  uses: svg(filled((n) => `<g id="g${n}"><use href="#u${n}"/></g>`, { most: most / 2 })),
  'uses in depth': svg(
    `${Array.from({ length: 98 }, (_, n) => `<g id="${n}">`).join('')}${'<use/>'.repeat(9_800)}${'</g>'.repeat(98)}`,
  ),
};

const base64 = (text: string): string => `data:image/svg+xml;base64,${Buffer.from(text).toString('base64')}`;
const percent = (text: string): string =>
  `data:image/svg+xml,${[...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')}`;

/** Data URIs of images, by their type. */
export const pictures: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.entries(documents).map(([name, text]) => [`SVG of ${name}`, base64(text)]),
  ['SVG in percent', percent(documents['kept attributes'] ?? '')],
]);
