import { mustBeOffline } from '../../../db/repositories/monitoring/portals.ts';
import type { Row, Selection } from '../../../db/repositories/records/records.ts';
import { registerTags } from '../../../db/repositories/sites/tags.ts';
import { admit } from '../../../shared/access/guard.ts';
import type { Target } from '../../../shared/http/records/crud-declarations.ts';
import type { RecordKind } from '../../../shared/http/records/kind.ts';
import { changeRecord, findRecord, removeRecord } from '../../../shared/http/records/writes.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import type { WebuiCtx } from '../deps.ts';

/** @throws AppError `invalid_state` for an online portal: its next heartbeat would create it again */
export const deletePortal = <S extends Selection>(
  ctx: WebuiCtx,
  kind: RecordKind<S>,
  at: Target,
): Promise<void> => removeRecord(ctx, kind, at, () => ({ before: (h) => [mustBeOffline(h, at.id)] }));

/** Reads the tags, or sets them, which requires the permission to change portals. */
export async function tagsOfPortal<S extends Selection>(
  ctx: WebuiCtx,
  kind: RecordKind<S>,
  at: Target,
  tags: string[] | undefined,
): Promise<Answer> {
  if (tags === undefined) {
    const row = await findRecord(ctx, kind, at.id);
    return new Answer({ tags: tagsIn(kind, row) }, { revision: row.revision });
  }
  admit(ctx.principal, { access: 'portals.update', writes: true });
  const { body, revision } = await changeRecord(ctx, kind, at, () => ({
    body: { tags },
    after: (h) => registerTags(h, tags),
  }));
  const written = { tags: Reflect.get(Object(body), 'tags') };
  return new Answer(written, revision === undefined ? {} : { revision });
}

const tagsIn = <S extends Selection>(kind: RecordKind<S>, row: Row<S>): unknown => kind.view(row).tags;
