import { row } from '../rows.ts';
import type { BodiesFigures } from './figures.ts';

const shown = 15;

/** The operations that block longest, worst first. */
export const bodiesLines = ({ operations, worst_ms }: BodiesFigures): string[] => [
  `Longest block of the event loop by the worst body of each of ${operations.length} operations: ${worst_ms} ms\n`,
  row('  operation', 'block ms', 'JSON.parse ms', 'bytes', 'status', '  body'),
  ...operations
    .slice(0, shown)
    .map(({ operation, block_ms, floor_ms, bytes, status, body }) =>
      row(
        `  ${operation}`.padEnd(32),
        block_ms.toFixed(2),
        floor_ms.toFixed(2),
        String(bytes),
        String(status),
        `  ${body}`,
      ),
    ),
  '',
];
