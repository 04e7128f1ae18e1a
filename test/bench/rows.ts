import type { PageFigures } from './cases/pages.ts';
import type { Comparison, Sample } from './load.ts';

/** A line of figures behind a name. */
export const row = (name: string, ...figures: string[]): string =>
  [name.padEnd(22), ...figures.map((figure) => figure.padStart(14))].join('');

export const cells = ({ requests_per_s, p50_ms, p99_ms }: Sample): string[] => [
  String(requests_per_s),
  p50_ms.toFixed(2),
  p99_ms.toFixed(2),
];

/** The portal beside its floor. */
export const comparisonLines = ({ name, portal, floor, ratio }: Comparison): string[] => [
  name,
  row('  portal', ...cells(portal)),
  row('  floor', ...cells(floor)),
  `${row('  portal / floor', ratio.requests.toFixed(2), ratio.p50.toFixed(2), ratio.p99.toFixed(2))}\n`,
];

/** Pages of lists, each with the plan when it is not by index. */
export const pageLines = (pages: readonly PageFigures[]): string[] => [
  row('pages', 'req/s', 'p50 ms', 'p99 ms', 'items', 'statements', 'plan'),
  ...pages.flatMap(({ name, portal, items, statements, plan: { verdict, text } }) => [
    row(`  ${name}`, ...cells(portal), String(items), String(statements), `  ${verdict}`),
    ...(text === undefined ? [] : [text.replace(/^/gm, '    ')]),
  ]),
  '',
];
