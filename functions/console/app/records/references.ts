import { useQueries } from '@tanstack/preact-query';
import { confusableText } from './fields/confusable-text.ts';
import { type Kind, kindOf, titleOf, useKinds } from './kinds.ts';
import { listPath, type Page, readPage } from './requests.ts';

/** A record that another one refers to. */
export type Named = {
  id: string;
  name: string;
  /** What distinguishes records of equal names, such as the domain of a user. */
  within?: string;
};

/** Lists accept at most this number of ids. */
const mostIds = 100;
const foundAtMost = 20;

/** Users and groups belong to domains; the portal finds them in all of them. */
const assignablePath = '/api/webui/aggregator/sites/users-groups-from-domains';

type Assignable = {
  type: string;
  id: string;
  name: string;
  authenticator_id: string;
  authenticator_name: string;
};

const isUuid = (text: string): boolean => /^[0-9a-f-]{36}$/i.test(text);

/** The records of a type that a query selects: with given ids, or those whose name contains a text. */
async function readNamed(
  kind: Kind,
  query: { ids?: string; search?: string },
  signal: AbortSignal,
): Promise<Named[]> {
  if (kind.parents.length > 0) return readAssignable(kind, query, signal);
  const limit = String(query.ids === undefined ? foundAtMost : mostIds);
  const { items } = await readPage(listPath(kind, {}), { ...query, limit }, signal);
  return items.map((row) => ({ id: String(row[kind.idParam ?? 'id']), name: titleOf(kind, row) }));
}

async function readAssignable(
  { type }: Kind,
  query: { ids?: string; search?: string },
  signal: AbortSignal,
): Promise<Named[]> {
  const page: Page = await readPage(assignablePath, { ...query, limit: String(mostIds) }, signal);
  return (page.items as unknown as Assignable[])
    .filter((item) => item.type === type && isUuid(item.id))
    .map(({ id, name, authenticator_name }) => ({
      id,
      name,
      within: withinOf(type, name, authenticator_name),
    }));
}

/** The domain of a user or group, and why the name of a user can be taken for another one. */
const withinOf = (type: string, name: string, domain: string): string =>
  [domain, type === 'user' && confusableText(name)].filter(Boolean).join('. ');

/** The domain of a user or group. @returns null if there is no such record, or the user must not read it */
export async function readOwner({ type }: Kind, id: string, signal: AbortSignal): Promise<string | null> {
  if (!isUuid(id)) return null;
  const { items } = await readPage(assignablePath, { ids: id, limit: '2' }, signal);
  const found = (items as unknown as Assignable[]).find((item) => item.type === type);
  return found?.authenticator_id ?? null;
}

/** Collects ids for a moment, so that all cells of a table cost one request per kind. */
type Batch = { ids: Set<string>; result: Promise<Map<string, Named>> };
const batches = new Map<string, Batch>();

/** @returns undefined if there is no such record, or the user must not read it */
async function readName(kind: Kind, id: string): Promise<Named | null> {
  const open = batches.get(kind.type);
  const batch = open && open.ids.size < mostIds ? open : newBatch(kind);
  batch.ids.add(id);
  return (await batch.result).get(id) ?? null;
}

function newBatch(kind: Kind): Batch {
  const ids = new Set<string>();
  const batch = { ids, result: readBatch(kind, ids) };
  batches.set(kind.type, batch);
  return batch;
}

async function readBatch(kind: Kind, ids: ReadonlySet<string>): Promise<Map<string, Named>> {
  await new Promise((resolve) => setTimeout(resolve));
  // Ids that come later get a request of their own.
  batches.delete(kind.type);
  const found = await readNamed(kind, { ids: [...ids].join() }, AbortSignal.timeout(15_000));
  return new Map(found.map((named) => [named.id, named]));
}

/** Remembers names that an answer already had, so that they cost no request. */
export type Names = {
  /** Null: not readable. Undefined: not read yet. */
  of: (id: string) => Named | null | undefined;
};

/** The names of referenced records. */
export function useNames(type: string, ids: readonly string[]): Names {
  const kind = kindOf(useKinds(), type);
  const distinct = [...new Set(ids)];
  const results = useQueries({
    queries: distinct.map((id) => ({
      queryKey: ['name', type, id],
      queryFn: () => (kind ? readName(kind, id) : null),
      enabled: kind !== undefined,
      staleTime: 60_000,
      retry: false,
    })),
  });
  const byId = new Map(distinct.map((id, at) => [id, results[at]]));
  return {
    of: (id) => {
      const result = byId.get(id);
      return result?.isError || (kind === undefined && result === undefined) ? null : result?.data;
    },
  };
}

/** Records whose names contain a text. */
export const findNamed = (kind: Kind, search: string, signal: AbortSignal): Promise<Named[]> =>
  readNamed(kind, search === '' ? {} : { search }, signal);
