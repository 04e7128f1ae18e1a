import { authenticators } from '../../../db/repositories/identity/authenticators.ts';
import { mustBeUnbound } from '../../../db/repositories/identity/directory/users.ts';
import { powerOver } from '../../../shared/context/privileges.ts';
import { writableOf } from '../../../shared/http/records/kind.ts';
import { changeRecord } from '../../../shared/http/records/writes.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import { withIdentifier } from '../../../shared/identity/directory/account.ts';
import type { Identified } from '../../../shared/identity/directory/identity.ts';
import { exactly } from '../../../shared/identity/directory/login-name.ts';
import { findPerson, findPersonById } from '../../../shared/identity/directory/people.ts';
import { withinDirectory } from '../../../shared/identity/directory/settings.ts';
import { conflict } from '../../../shared/kernel/errors.ts';
import type { WebuiCtx } from '../deps.ts';
import { userCrud } from './record.ts';

const { kind } = userCrud;
type Row = Awaited<ReturnType<typeof kind.records.create>>;

/**
 * Binds a user to the entry of the directory that has the name of the user. From then on the entry is the user, whatever
 * its name is.
 * @throws AppError `not_found`, `invalid_state` with the reason, `forbidden`, those of the directory
 */
export function bindUser(ctx: WebuiCtx, id: string): Promise<Answer> {
  const power = powerOver(ctx, [{ user: id }]);
  return changeRecord(ctx, kind, { id, conditions: {} }, async (row) => {
    if (row.directory_id !== null) throw conflict('bound', 'The user is bound to an entry already');
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

async function identifiersOf(ctx: WebuiCtx, { authenticator_id, name }: Row): Promise<Identified['ids']> {
  const domain = await authenticators.find(ctx.deps.db, authenticator_id, { scope: '*' });
  if (!domain || domain.type === 'internal')
    throw conflict('no_directory', 'The domain of the user has no directory');
  const wanted = { name: exactly(name).typed, typed: name };
  return withinDirectory(ctx.deps, domain, async (session, params) => {
    const person = await findPerson(session, params, wanted);
    if (!person)
      throw conflict('no_entry', 'The directory has no entry of this name that may log in, or several');
    const { ids } = withIdentifier(person);
    await findPersonById(session, params, ids[0]);
    return ids;
  });
}
