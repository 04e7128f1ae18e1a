import type { z } from 'zod';
import { listAssignables } from '../../../db/repositories/assignables.ts';
import { findDomain } from '../../../db/repositories/authenticators.ts';
import { findUnregistered } from '../../../shared/identity/directory/unregistered.ts';
import { openCursor, type Position, sealCursor } from '../../../shared/kernel/cursor.ts';
import { isId, lastId } from '../../../shared/kernel/ids.ts';
import { foldName } from '../../../shared/kernel/text.ts';
import type { WebuiCtx } from '../deps.ts';
import type { Assignable, AssignableQuery } from './schema.ts';

type Item = z.input<typeof Assignable>;

/**
 * Users and groups that a site can be given, by name over all domains; of one directory also those that only it knows.
 * @throws AppError those of the directory
 */
export async function listAssignable(ctx: WebuiCtx, { cursor, ...query }: z.output<typeof AssignableQuery>) {
  const { limit, ...filters } = query;
  const list = { resource: ctx.operation.id, filters, sort: 'name', scope: ctx.scope };
  const after = cursor === undefined ? undefined : await openCursor(ctx.deps.cursorSealer, list, cursor);
  const [here, there] = [
    await listAssignables(ctx.deps.db, { ...query, after: after && ofRows(after) }),
    await listDirectory(ctx, query, after),
  ];
  const all = [...here.items, ...there].sort((a, b) => compare(positionOf(a), positionOf(b)));
  const items = all.slice(0, limit);
  const last = here.next !== undefined || all.length > limit ? items.at(-1) : undefined;
  return { items, next: last ? await sealCursor(ctx.deps.cursorSealer, list, positionOf(last)) : null };
}

async function listDirectory(
  ctx: WebuiCtx,
  { authenticator, search = '' }: Omit<z.output<typeof AssignableQuery>, 'cursor'>,
  after: Position | undefined,
): Promise<Item[]> {
  if (authenticator === undefined) return [];
  const domain = await findDomain(ctx.deps.db, authenticator);
  if (!domain || domain.type === 'internal') return [];
  const entries = await findUnregistered(ctx.deps, domain, search);
  const items = entries.map(({ type, dn, name }) => ({
    authenticator_id: domain.id,
    authenticator_name: domain.name,
    type,
    id: dn,
    name,
  }));
  return items.filter((item) => !after || compare(positionOf(item), after) > 0);
}

const positionOf = ({ id, name }: Item): Position => ({ key: foldName(name), id });

/** Entries of a directory follow the rows of the same name. */
const ofRows = ({ key, id }: Position): Position => ({ key, id: isId(id) ? id : lastId });

const compare = (a: Position, b: Position): number =>
  byBytes(String(a.key), String(b.key)) || Number(isId(b.id)) - Number(isId(a.id)) || byBytes(a.id, b.id);

/** As the database compares: by the bytes of UTF-8, which are in the order of code points. */
function byBytes(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [Array.from(a), Array.from(b)];
  const at = left.findIndex((char, index) => char !== right[index]);
  return (left[at]?.codePointAt(0) ?? -1) < (right[at]?.codePointAt(0) ?? -1) ? -1 : 1;
}
