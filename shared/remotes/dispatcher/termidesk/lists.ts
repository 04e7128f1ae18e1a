import type { z } from 'zod';
import type { Transport } from '../../http/transport.ts';
import { readRow } from '../lenient-rows.ts';
import type { Call } from '../port.ts';
import {
  type CheckedRow,
  type Ignored,
  type ListKind,
  type ListPage,
  type ListQuery,
  type ListRow,
  tagId,
} from '../rows.ts';
import { converseIfChanged } from './exchange.ts';
import { identities, listShapes, RawPage, Uuid } from './list-shapes.ts';

/** Reads one page of a list. Each row is checked separately, so that a malformed row does not affect the others. */
export async function readList<K extends ListKind>(
  transport: Transport,
  { key, ...to }: Call,
  kind: K,
  { limit, cursor, since, etag: known }: ListQuery,
): Promise<ListPage<ListRow<K>> | null> {
  const exchange = {
    ...to,
    method: 'GET',
    path: `/api/webui/${kind}`,
    query: { limit: String(limit), cursor, since },
    credentials: { 'x-auth-token': key },
    answer: RawPage,
  } as const;
  const found = await converseIfChanged(transport, exchange, known);
  if (!found) return null;
  const { items, next, as_of: asOf, removed } = found.answer;
  return {
    ...checkRows(kind, items),
    next: next ?? null,
    asOf,
    removed: removed?.flatMap((name) => rowIdOf(kind, name)),
    etag: storable(found.etag),
  };
}

function checkRows<K extends ListKind>(
  kind: K,
  items: readonly unknown[],
): { rows: CheckedRow<ListRow<K>>[]; dropped: Ignored[] } {
  const rows: CheckedRow<ListRow<K>>[] = [];
  const dropped: Ignored[] = [];
  const shape: z.ZodObject = listShapes[kind];
  for (const item of items) {
    const { row, ignored } = readRow(shape, identities[kind], item);
    if (row === undefined) dropped.push(...ignored);
    else rows.push({ row: row as ListRow<K>, ignored });
  }
  return { rows, dropped };
}

/** The identifier of a removed row. */
function rowIdOf(kind: ListKind, name: string): string[] {
  const uuid = Uuid.safeParse(name);
  if (uuid.success) return [uuid.data];
  return kind === 'tags' ? [tagId(name)] : [];
}

/** The ETag is sent back in a header, so only valid characters are accepted. */
const storable = (etag: string | undefined): string | undefined =>
  etag !== undefined && /^(?:W\/)?"[\x21\x23-\x7e]{0,256}"$/.test(etag) ? etag : undefined;
