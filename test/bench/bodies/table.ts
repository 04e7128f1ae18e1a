import { row } from '../rows.ts';
import type { SearchFigures } from './climb.ts';
import type { BodiesFigures } from './figures.ts';
import type { ProvisioningFigures } from './provisioning.ts';

const shown = 15;

/** The worst requests of provisioning beside the hash of a password, which is what a request and ten turns may take. */
const provisioningLines = ({ members, hash_ms, bodies }: ProvisioningFigures): string[] => [
  `Worst requests of provisioning, with ${members} members of a group; the hash of a password takes ${hash_ms} ms\n`,
  row('  request', 'block ms', 'of a hash', 'CPU ms', 'of a hash', 'bytes', 'status'),
  ...bodies.map(({ body, status, bytes, block_ms, cpu_ms }) =>
    row(
      `  ${body}`.padEnd(44),
      ...[block_ms.toFixed(1), (block_ms / hash_ms).toFixed(2)],
      ...[cpu_ms.toFixed(1), (cpu_ms / hash_ms).toFixed(2)],
      ...[String(bytes), String(status)],
    ),
  ),
  '',
];

/** The worst accepted requests that the search has found, beside the hash of a password. */
export function searchLines(figures: SearchFigures | undefined): string[] {
  if (!figures) return [];
  const { hash_ms, requests, failed } = figures;
  return [
    `Worst accepted requests of ${requests.length} operations, by a search; the hash of a password takes ${hash_ms} ms\n`,
    row('  operation', 'CPU ms', 'of a hash', 'block ms', 'of a hash', 'bytes', '  request'),
    ...requests
      .slice(0, shown)
      .map(({ operation, cpu_ms, block_ms, bytes, request }) =>
        row(
          `  ${operation}`.padEnd(32),
          ...[cpu_ms.toFixed(1), (cpu_ms / hash_ms).toFixed(2)],
          ...[block_ms.toFixed(1), (block_ms / hash_ms).toFixed(2)],
          ...[String(bytes), `  ${request.slice(0, 60)}`],
        ),
      ),
    ...failed.map(({ operation, reason }) => row(`  ${operation}`.padEnd(32), `not searched: ${reason}`)),
    '',
  ];
}

/** The operations that block longest, worst first. */
export const bodiesLines = (figures: BodiesFigures): string[] => [
  ...provisioningLines(figures.provisioning),
  ...worstLines(figures),
];

const worstLines = ({ operations, worst_ms }: BodiesFigures): string[] => [
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
