import type { z } from 'zod';
import { type ExportSubject, findOwnExports } from '../../../db/repositories/exports/files.ts';
import type { Permission } from '../../../shared/context/permissions.ts';
import { ownerOf } from '../../../shared/context/principal.ts';
import { scopeOf } from '../../../shared/context/rights.ts';
import { reportOf } from '../../../shared/exports/export-order.ts';
import type { WebuiCtx } from '../deps.ts';
import { mostExports, type OwnExports } from './schema.ts';

type Own = z.input<typeof OwnExports>;

const types = {
  audit: 'audit',
  monitoring: 'monitoring_record',
  portals: 'portal',
  tags: 'tag',
} as const satisfies Record<ExportSubject, Own['items'][number]['object_type']>;

const subjects: readonly ExportSubject[] = ['audit', 'monitoring', 'portals', 'tags'];

/** The exports of the caller that the caller may still download. */
export async function listOwnExports({ deps, principal, now }: WebuiCtx): Promise<Own> {
  const permitted = subjects.filter((subject) => {
    const permission: Permission = `${subject}.export`;
    return scopeOf(principal, permission) === '*';
  });
  if (permitted.length === 0) return { items: [] };
  const owned = { owner_id: ownerOf(principal).id, subjects: permitted };
  const rows = await findOwnExports(deps.db, owned, { now, limit: mostExports });
  return {
    items: rows.map((row) => ({
      ...(reportOf(row).report as Omit<Own['items'][number], 'object_type' | 'filters' | 'ordered_at'>),
      object_type: types[row.subject],
      filters: row.filters,
      ordered_at: row.created_at.toISOString(),
    })),
  };
}
