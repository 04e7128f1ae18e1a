import type { PageFigures } from './cases/pages.ts';
import type { Sample } from './load.ts';

/** A line of figures behind a name. */
export const row = (name: string, ...figures: string[]): string =>
  [name.padEnd(22), ...figures.map((figure) => figure.padStart(14))].join('');

export const cells = ({ requests_per_s, p50_ms, p99_ms }: Sample): string[] => [
  String(requests_per_s),
  p50_ms.toFixed(2),
  p99_ms.toFixed(2),
];

/** Pages of lists, each with the plan when it is not by index. */
export const pageLines = (pages: readonly PageFigures[]): string[] => [
  row('portal / floor', 'req/s', 'p50 ms', 'p99 ms', 'p50 ratio', 'items', 'statements', 'plan'),
  ...pages.flatMap(({ name, portal, floor, ratio, items, statements, plan: { verdict, text } }) => [
    row(
      `  ${name}`,
      ...[0, 1, 2].map((figure) => `${cells(portal)[figure]} / ${cells(floor)[figure]}`),
      ratio.p50.toFixed(2),
      String(items),
      String(statements),
      `  ${verdict}`,
    ),
    ...(text === undefined ? [] : [text.replace(/^/gm, '    ')]),
  ]),
  '',
];
