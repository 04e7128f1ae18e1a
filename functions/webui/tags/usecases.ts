import { z } from 'zod';
import { raisedByMust } from '../../../db/errors.ts';
import {
  attachTag,
  detachTag,
  mustBeUnused,
  objectsWithTag,
  renameTag,
  type TaggedObject,
  type TaggedType,
} from '../../../db/repositories/sites/tags.ts';
import { admit } from '../../../shared/access/guard.ts';
import { auditEntry } from '../../../shared/context/audit-entry.ts';
import { readingOf } from '../../../shared/context/rights.ts';
import type { Target } from '../../../shared/http/records/crud-declarations.ts';
import { writableOf } from '../../../shared/http/records/kind.ts';
import { applyPatch } from '../../../shared/http/records/shapes.ts';
import { changeRecord, removeRecord } from '../../../shared/http/records/writes.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import { AppError, conflict, invalid } from '../../../shared/kernel/errors.ts';
import { foldName } from '../../../shared/kernel/text.ts';
import { fieldErrors } from '../../../shared/shapes/field-errors.ts';
import { TagName } from '../../../shared/shapes/fields.ts';
import type { WebuiCtx } from '../deps.ts';
import { tagCrud } from './record.ts';
import { TagChange, type TagPatch } from './schema.ts';

const { kind } = tagCrud;

/** `null` changes no objects. */
type Objects = { attach?: TaggedObject[] | null; detach?: TaggedObject[] | null };

export const replaceTag = (ctx: WebuiCtx, at: Target, body: z.output<typeof TagChange>): Promise<Answer> =>
  change(ctx, at, () => body, { attach: [], detach: [] });

/** Adding a tag to an object or removing it changes the object, which requires the permission to update it. */
export async function manageTag(
  ctx: WebuiCtx,
  at: Target,
  patch: z.output<typeof TagPatch>,
): Promise<Answer> {
  const { attach, detach, ...members } = patch as Record<string, unknown> & Objects;
  const objects = { attach: attach ?? [], detach: detach ?? [] };
  for (const type of new Set([...objects.attach, ...objects.detach].map((object) => object.type)))
    admit(ctx.principal, { access: `${type}s.update`, writes: true });
  return change(ctx, at, (current) => applyPatch(TagChange, current, members), objects);
}

/** Renames the tag on all objects that have it, and adds it to or removes it from the given objects. */
const change = (
  ctx: WebuiCtx,
  at: Target,
  become: (current: Record<string, unknown>) => z.output<typeof TagChange>,
  { attach, detach }: { attach: TaggedObject[]; detach: TaggedObject[] },
): Promise<Answer> =>
  changeRecord(ctx, kind, at, (row) => {
    const body = become(writableOf(kind, row));
    if (body.name !== row.name) assertRenamable(row.source, body.name);
    if (attach.length > 0) assertTagName(body.name);
    const auditOf = (type: TaggedType) =>
      auditEntry(ctx, {
        event: 'portal.EntityAction',
        category: 'config',
        action: 'update',
        object_type: type,
      });
    const moved = Object.entries({ attach, detach }).filter(([, objects]) => objects.length > 0);
    return {
      body,
      changes: moved.map(([field, objects]) => ({ field, before: null, after: objects })),
      after: (h) => [
        ...(body.name === row.name ? [] : renameTag(h, foldName(row.name), body.name, auditOf)),
        ...detach.map((object) => detachTag(h, body.name, object, auditOf)),
        ...attach.flatMap((object, n) => attachTag(h, body.name, object, `/attach/${n}/id`, auditOf)),
      ],
    };
  });

function assertRenamable(source: string, name: string): void {
  if (source === 'dispatcher') throw ofDispatcher();
  assertTagName(name);
}

const ofDispatcher = (): AppError =>
  conflict('dispatcher_tag', 'The tag is managed by a dispatcher; rename or delete it there');

const Named = z.object({ name: TagName });

/** Dispatchers can use any tag name; objects of the portal accept only names in the portal's format. */
function assertTagName(name: string): void {
  const { error } = Named.safeParse({ name });
  if (error) throw invalid(...fieldErrors(error, '/'));
}

/** @throws AppError `in_use` with objects that have the tag, `invalid_state` for a tag of a dispatcher */
export async function deleteTag(ctx: WebuiCtx, at: Target): Promise<void> {
  let key = '';
  try {
    await removeRecord(ctx, kind, at, (row) => {
      if (row.source === 'dispatcher') throw ofDispatcher();
      key = foldName(row.name);
      return { before: (h) => [mustBeUnused(h, key)] };
    });
  } catch (error) {
    if (raisedByMust(error)?.code !== 'in_use') throw error;
    const references = await objectsWithTag(ctx.deps.db, key, readingOf(ctx.principal));
    throw new AppError('in_use', undefined, { references }, { cause: error });
  }
}
