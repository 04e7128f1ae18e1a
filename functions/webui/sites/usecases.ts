import type { z } from 'zod';
import { listAssignables } from '../../../db/repositories/identity/assignables.ts';
import { findDomain } from '../../../db/repositories/identity/authenticators.ts';
import { domainTypeOf } from '../../../shared/identity/domains/registry.ts';
import { openCursor, type Position, sealCursor } from '../../../shared/kernel/cursor.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import { isId, lastId } from '../../../shared/kernel/ids.ts';
import { foldName } from '../../../shared/kernel/text.ts';
import type { Language } from '../../../shared/messages/languages.ts';
import { inLanguage } from '../../../shared/messages/message.ts';
import type { WebuiCtx } from '../deps.ts';
import type { Assignable, AssignableQuery, DirectoryFailure } from './schema.ts';

type Item = z.input<typeof Assignable>;
type Failure = z.input<typeof DirectoryFailure>;

/**
 * Users and groups that can be assigned to a site, by name over all domains. For one directory, entries that exist
 * only there are included. A directory that cannot be searched is listed in `failures`; registered users and
 * groups are listed regardless.
 */
export async function listAssignable(ctx: WebuiCtx, { cursor, ...query }: z.output<typeof AssignableQuery>) {
  const { limit, ...filters } = query;
  const list = { resource: ctx.operation.id, filters, sort: 'name', scope: ctx.scope };
  const after = cursor === undefined ? undefined : await openCursor(ctx.deps.cursorSealer, list, cursor);
  const here = await listAssignables(ctx.deps.db, { ...query, after: after && ofRows(after) });
  const there = await listDirectory(ctx, query, after);
  const all = [...here.items, ...there.items].sort((a, b) => compare(positionOf(a), positionOf(b)));
  const items = all.slice(0, limit);
  const last = here.next !== undefined || all.length > limit ? items.at(-1) : undefined;
  const next = last ? await sealCursor(ctx.deps.cursorSealer, list, positionOf(last)) : null;
  return { items, next, failures: there.failures };
}

async function listDirectory(
  ctx: WebuiCtx,
  { authenticator, ids, search = '' }: Omit<z.output<typeof AssignableQuery>, 'cursor'>,
  after: Position | undefined,
): Promise<{ items: Item[]; failures: Failure[] }> {
  const domain = authenticator && (await findDomain(ctx.deps.db, authenticator));
  const directory = domain && domainTypeOf(domain.type).directory;
  // Entries that exist only in the directory have no identifiers.
  if (!directory || ids) return { items: [], failures: [] };
  const named = { authenticator_id: domain.id, authenticator_name: domain.name };
  try {
    const entries = await directory.findUnregistered(ctx.deps, domain, search);
    const items = entries.map(({ type, dn, name }) => ({ ...named, type, id: dn, name }));
    return { items: items.filter((item) => !after || compare(positionOf(item), after) > 0), failures: [] };
  } catch (error) {
    const failure = failureOf(error, ctx.language);
    ctx.log.warn('a directory could not be searched', {
      request_id: ctx.requestId,
      domain: domain.name,
      error,
    });
    return { items: [], failures: [{ ...named, ...failure }] };
  }
}

/** @throws errors that are not directory errors */
function failureOf(error: unknown, language: Language): Pick<Failure, 'code' | 'reason' | 'detail'> {
  if (!(error instanceof AppError)) throw error;
  const { code, members } = error;
  const detail = inLanguage(error.detail, language);
  if (code !== 'overloaded' && !code.startsWith('upstream_')) throw error;
  return { code, reason: typeof members.reason === 'string' ? members.reason : null, detail };
}

const positionOf = ({ id, name }: Item): Position => ({ key: foldName(name), id });

/** Entries of a directory follow the rows of the same name. */
const ofRows = ({ key, id }: Position): Position => ({ key, id: isId(id) ? id : lastId });

const compare = (a: Position, b: Position): number =>
  byBytes(String(a.key), String(b.key)) || Number(isId(b.id)) - Number(isId(a.id)) || byBytes(a.id, b.id);

/** Same order as in the database: by UTF-8 bytes, which equals the order of code points. */
function byBytes(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [Array.from(a), Array.from(b)];
  const at = left.findIndex((char, index) => char !== right[index]);
  return (left[at]?.codePointAt(0) ?? -1) < (right[at]?.codePointAt(0) ?? -1) ? -1 : 1;
}
