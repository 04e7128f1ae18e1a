import type { ListSpec, Selection } from '../../../db/repositories/records/records.ts';
import type { Scope } from '../../../db/repositories/records/scope.ts';
import {
  type FoundObject,
  findObjects,
  type SearchedType,
  searchedRecords,
} from '../../../db/repositories/search/found-objects.ts';
import { searchedSnapshot, snapshotTypes } from '../../../db/repositories/snapshot/searched.ts';
import { readPermissionOf } from '../../../shared/context/permissions.ts';
import type { SignedIn } from '../../../shared/context/principal.ts';
import { scopeOf } from '../../../shared/context/rights.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import type { ResourceType } from '../../../shared/resources.ts';
import type { WebuiCtx } from '../deps.ts';

/** Records whose names are searched. */
export type NamedRecords = { kind: { type: ResourceType; records: { spec: ListSpec<Selection> } } };

/**
 * Finds objects by their names, of each type that the caller may read, in the scope of that permission.
 * @throws AppError `forbidden` for a caller that may not read any of the types
 */
export async function searchObjects(
  { deps, principal }: WebuiCtx,
  kinds: readonly NamedRecords[],
  { text, limit }: { text: string; limit: number },
): Promise<{ items: FoundObject[] }> {
  const searched = typesFor(principal, kinds);
  if (searched.length === 0)
    throw new AppError('forbidden', 'No role of the caller grants a permission to read');
  if (text === '') return { items: [] };
  return { items: await findObjects(deps.db, searched, text, limit) };
}

const typesFor = (principal: SignedIn, kinds: readonly NamedRecords[]): SearchedType[] => [
  ...snapshotTypes.flatMap((type) => inScope(principal, type, (scope) => searchedSnapshot(type, scope))),
  ...kinds.flatMap(({ kind: { type, records } }) =>
    inScope(principal, type, (scope) => searchedRecords(type, records.spec, scope)),
  ),
];

function inScope(
  principal: SignedIn,
  type: ResourceType,
  searched: (scope: Scope) => SearchedType,
): SearchedType[] {
  const permission = readPermissionOf(type);
  const scope = permission && scopeOf(principal, permission);
  return scope === undefined ? [] : [searched(scope)];
}
