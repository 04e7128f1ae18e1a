import type { Db, Statement } from '../../../db/client.ts';
import { addClientKey, findClientKeys } from '../../../db/repositories/identity/client-keys.ts';
import { powerOver } from '../../../shared/context/privileges.ts';
import type { Target } from '../../../shared/http/records/crud-declarations.ts';
import { writableOf } from '../../../shared/http/records/kind.ts';
import { changeRecord } from '../../../shared/http/records/writes.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import { newClientKey } from '../../../shared/identity/domains/oidc/client-key.ts';
import { domainTypeOf } from '../../../shared/identity/domains/registry.ts';
import { conflict } from '../../../shared/kernel/errors.ts';
import type { WebuiCtx } from '../deps.ts';
import { authenticatorCrud } from './record.ts';

type Params = Record<string, unknown>;
type KeyOwner = { id: string; type: string; next: Params; former?: Params };

const { kind } = authenticatorCrud;

/** The first key of a domain whose settings begin to use one. @returns its statements; none for other domains */
export async function firstKey(
  { deps: { db, sealer }, now }: WebuiCtx,
  { id, type, next, former }: KeyOwner,
): Promise<(h: Db) => Statement[]> {
  const { ownKey } = domainTypeOf(type);
  const isNew = ownKey?.isUsed(next) === true && !(former && ownKey.isUsed(former));
  if (!isNew || (former && (await findClientKeys(db, id)).length > 0)) return () => [];
  const key = await newClientKey(sealer, id, now);
  return (h) => addClientKey(h, key);
}

/**
 * Creates a new key, which signs from now on. The former one remains published until the next rotation.
 * @throws AppError `not_found`, `invalid_state` if the domain does not use a key, `forbidden`
 */
export function rotateKey(ctx: WebuiCtx, at: Target): Promise<Answer> {
  const { deps, now } = ctx;
  const power = powerOver(ctx, [{ usersOfDomain: at.id }]);
  return power.explained(() =>
    changeRecord(ctx, kind, at, async (row) => {
      if (domainTypeOf(row.type).ownKey?.isUsed(row.params) !== true)
        throw conflict('no_own_key', 'The portal has no key for this domain');
      const [[former], next] = await Promise.all([
        findClientKeys(deps.db, at.id),
        newClientKey(deps.sealer, at.id, now),
      ]);
      return {
        body: writableOf(kind, row),
        changes: [{ field: 'client_key', before: former?.id ?? null, after: next.id }],
        before: (h) => power.before(h),
        after: (h) => addClientKey(h, next),
      };
    }),
  );
}
