/** Small charts and other page elements without external libraries. */
const { say } = globalThis.portal;

/** Creates an element with attributes and children. Strings become text nodes, never markup. */
function make(tag, attributes = {}, ...children) {
  const isDrawn = ['svg', 'circle', 'polyline', 'rect', 'path'].includes(tag);
  const element = isDrawn
    ? document.createElementNS('http://www.w3.org/2000/svg', tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

function curve(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const y = (value) => (high === low ? 18 : 33 - (30 * (value - low)) / (high - low));
  const x = (n) => (values.length < 2 ? 0 : 3 + (84 * n) / (values.length - 1));
  const points =
    values.length < 2
      ? `3,${y(values[0])} 87,${y(values[0])}`
      : values.map((v, n) => `${x(n)},${y(v)}`).join(' ');
  const line = make('polyline', { class: 'spark', points });
  return make(
    'svg',
    { width: 90, height: 36, viewBox: '0 0 90 36', role: 'img', 'aria-label': say('spark') },
    line,
  );
}

function ring(part, all) {
  const share = all > 0 ? part / all : 0;
  const around = 2 * Math.PI * 16;
  const circle = { cx: 20, cy: 20, r: 16, 'stroke-width': 6 };
  const percent = Math.round(share * 100);
  const arc = {
    ...circle,
    class: 'part',
    'stroke-dasharray': `${share * around} ${around}`,
    transform: 'rotate(-90 20 20)',
  };
  return make(
    'svg',
    { width: 40, height: 40, viewBox: '0 0 40 40', role: 'img', 'aria-label': say('ring', { percent }) },
    make('circle', { ...circle, class: 'ground' }),
    ...(share > 0 ? [make('circle', arc)] : []),
  );
}

const tile = (key, value, hint, drawn) =>
  make(
    'li',
    { class: 'tile' },
    make('span', {}, say(key)),
    make('strong', {}, String(value)),
    drawn,
    make('span', { class: 'quiet' }, hint),
  );

function meter(label, part, all, isBad = false) {
  const bar = { height: 8, rx: 4 };
  return make(
    'div',
    { class: isBad ? 'meter bad' : 'meter' },
    make('span', {}, label, make('b', {}, `${part} / ${all}`)),
    make(
      'svg',
      { 'aria-hidden': true },
      make('rect', { ...bar, width: '100%' }),
      make('rect', { ...bar, width: `${all > 0 ? (100 * part) / all : 0}%` }),
    ),
  );
}

/** States differ in shape as well as in colour, for colour-blind readers. */
const signs = {
  good: 'M6 0a6 6 0 1 0 0 12A6 6 0 0 0 6 0z',
  bad: 'M6 0l6 11H0z',
  warn: 'M6 0l6 6-6 6-6-6z',
  off: 'M0 4.5h12v3H0z',
  none: 'M6 1a5 5 0 1 0 0 10A5 5 0 0 0 6 1zm0 2a3 3 0 1 1 0 6 3 3 0 0 1 0-6z',
};
const kinds = {
  pass: 'good',
  fail: 'bad',
  unauthorized: 'bad',
  closed: 'good',
  open: 'bad',
  half_open: 'warn',
  maintenance: 'warn',
  disabled: 'off',
  unknown: 'none',
};

function badge(state) {
  const kind = kinds[state] ?? 'none';
  const sign = make(
    'svg',
    { viewBox: '0 0 12 12', 'aria-hidden': true },
    make('path', { d: signs[kind], fill: 'currentColor' }),
  );
  return make('span', { class: `badge ${kind}` }, sign, say(state));
}

globalThis.drawing = { make, curve, ring, tile, meter, badge };
