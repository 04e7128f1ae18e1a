import { cells, row } from '../rows.ts';
import type { TripFigures, TripsFigures } from './figures.ts';

/** The figures as a table. */
export const tripsLines = (figures: TripsFigures): string[] => [
  `A statement takes ${figures.round_trip_ms} ms; a password hash takes ${figures.hash_ms} ms and is subtracted\n`,
  row('distant database', 'round trips', 'p50 ms', 'before: trips', 'p50 ms'),
  ...figures.operations.map(({ name, before, ...own }) =>
    row(`  ${name}`, ...tripCells(own), ...(before ? tripCells(before) : [])),
  ),
  '',
  row(`${figures.clients} clients, pool of ${figures.pool_size}`, 'req/s', 'p50 ms', 'p99 ms', 'CPU ms'),
  row('  userinfo', ...cells(figures.userinfo), figures.userinfo.cpu_ms?.toFixed(2) ?? '–'),
  ...(figures.before ? [row('  before', ...cells(figures.before.userinfo))] : []),
  '',
];

const tripCells = ({ trips, p50_ms }: TripFigures): string[] => [String(trips), p50_ms.toFixed(1)];
