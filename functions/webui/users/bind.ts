import { authenticators } from '../../../db/repositories/identity/authenticators.ts';
import { mustBeUnbound } from '../../../db/repositories/identity/directory/users.ts';
import { powerOver } from '../../../shared/context/privileges.ts';
import { writableOf } from '../../../shared/http/records/kind.ts';
import { changeRecord } from '../../../shared/http/records/writes.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import { domainTypeOf } from '../../../shared/identity/domains/registry.ts';
import { conflict } from '../../../shared/kernel/errors.ts';
import type { WebuiCtx } from '../deps.ts';
import { userCrud } from './record.ts';

const { kind } = userCrud;
type Row = Awaited<ReturnType<typeof kind.records.create>>;

/**
 * Binds a user to the directory entry with the same name. From then on the immutable identifier of the entry
 * identifies the user, even if it is renamed.
 * @throws AppError `not_found`, `invalid_state` with the reason, `forbidden`, directory errors
 */
export function bindUser(ctx: WebuiCtx, id: string): Promise<Answer> {
  const power = powerOver(ctx, [{ user: id }]);
  return changeRecord(ctx, kind, { id, conditions: {} }, async (row) => {
    if (row.directory_id !== null) throw conflict('bound', 'The user is already bound to a directory entry');
    const ids = await identifiersOf(ctx, row);
    const [directoryId] = ids;
    return {
      body: { ...writableOf(kind, row), password: null },
      columns: { password: undefined, directory_id: directoryId },
      changes: [{ field: 'directory_id', before: null, after: directoryId }],
      explained: power.explained,
      before: (h) => [...power.before(h), ...mustBeUnbound(h, row, ids)],
    };
  });
}

async function identifiersOf(
  ctx: WebuiCtx,
  { authenticator_id, name }: Row,
): Promise<readonly [string, ...string[]]> {
  const domain = await authenticators.find(ctx.deps.db, authenticator_id, { scope: '*' });
  const directory = domain && domainTypeOf(domain.type).directory;
  if (!directory) throw conflict('no_directory', 'The domain of the user has no directory');
  return directory.identifiersOf(ctx.deps, domain, name);
}
