import { row } from '../rows.ts';
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

/** The operations that block longest, worst first. */
export const bodiesLines = ({ operations, worst_ms, provisioning }: BodiesFigures): string[] => [
  ...provisioningLines(provisioning),
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
