import { revokeVouchedAccess } from '../../../db/repositories/identity/access-revocation.ts';
import { moveAuthority, noOtherDirectory } from '../../../db/repositories/identity/directory/authority.ts';
import { lockGuard } from '../../../db/repositories/records/statements.ts';
import { powerOver } from '../../../shared/context/privileges.ts';
import type { Target } from '../../../shared/http/records/crud-declarations.ts';
import { writableOf } from '../../../shared/http/records/kind.ts';
import { changeRecord } from '../../../shared/http/records/writes.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import { conflict } from '../../../shared/kernel/errors.ts';
import type { WebuiCtx } from '../deps.ts';
import { authenticatorCrud } from './record.ts';

const { kind } = authenticatorCrud;

/**
 * Accepts the directory that the servers of a domain show instead of the former one. Users of the former one stay with it and
 * lose their access; they match again if the domain returns to it.
 * @param authority the identity of the accepted directory
 * @throws AppError `not_found`, `invalid_state` for a directory that the servers do not show, `forbidden`
 */
export function acceptDirectory(ctx: WebuiCtx, at: Target, authority: string): Promise<Answer> {
  const power = powerOver(ctx, [{ usersOfDomain: at.id }], [{ groupsOfDomain: at.id }]);
  return power.explained(() =>
    changeRecord(ctx, kind, at, (row) => {
      const { directory_authority: former, other_directory } = row;
      if (former === null || other_directory !== authority)
        throw conflict('not_shown', 'The servers of the domain have not shown this directory');
      return {
        body: writableOf(kind, row),
        columns: { params: undefined, directory_authority: authority, ...noOtherDirectory },
        changes: [{ field: 'directory_authority', before: former, after: authority }],
        before: (h) => [lockGuard(h, 'administrators'), ...power.before(h)],
        after: (h) => [
          ...moveAuthority(h, at.id, { former, next: authority }),
          ...revokeVouchedAccess(h, at.id),
        ],
      };
    }),
  );
}
