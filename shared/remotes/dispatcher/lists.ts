import type { z } from 'zod';
import type { Transport } from '../http/transport.ts';
import { converseIfChanged } from './exchange.ts';
import { type ListKind, type ListRow, listShapes, RawPage, Uuid } from './list-shapes.ts';
import type { BadRows, Call, ListPage, ListQuery } from './port.ts';

/** One page of a list, each row checked by itself: a bad one costs the others nothing. */
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
  return { ...checkRows(kind, items), next: next ?? null, asOf, removed, etag: storable(found.etag) };
}

function checkRows<K extends ListKind>(
  kind: K,
  items: readonly unknown[],
): { rows: ListRow<K>[]; bad: BadRows } {
  const rows: ListRow<K>[] = [];
  const bad: BadRows = { count: 0, first: null, uuids: [] };
  const shape: z.ZodType<unknown> = listShapes[kind];
  for (const item of items) {
    const checked = shape.safeParse(item);
    if (checked.success) rows.push(checked.data as ListRow<K>);
    else {
      bad.count++;
      if (bad.first === null) bad.first = reasonOf(checked.error);
      bad.uuids.push(...uuidOf(item));
    }
  }
  return { rows, bad };
}

/** Our words for it: which member, and what kind of fault; never what the node wrote. */
function reasonOf({ issues: [issue] }: z.ZodError): string {
  return issue ? `${issue.path.join('.') || 'row'}: ${issue.code}` : 'row';
}

function uuidOf(item: unknown): string[] {
  if (typeof item !== 'object' || item === null) return [];
  const given = 'session_uuid' in item ? item.session_uuid : 'uuid' in item ? item.uuid : undefined;
  const checked = Uuid.safeParse(given);
  return checked.success ? [checked.data] : [];
}

/** It becomes a header value of ours again. */
const storable = (etag: string | undefined): string | undefined =>
  etag !== undefined && /^(?:W\/)?"[\x21\x23-\x7e]{0,256}"$/.test(etag) ? etag : undefined;
