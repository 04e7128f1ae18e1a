import { z } from 'zod';
import { Id } from '../../../shared/shapes/fields.ts';
import { listOf } from '../../../shared/shapes/list.ts';
import { base, endpoint } from '../deps.ts';
import { LockOut, LockOutQuery } from './schema.ts';
import { listLocks, unlock } from './usecases.ts';

const path = `${base}/lock-outs` as const;

export const lockOutOperations = [
  endpoint(
    {
      id: 'lockOut.list',
      route: `GET ${path}`,
      access: 'users.read',
      summary: 'List the current lock-outs',
      description:
        'Failed logins lock an account for a network, an account for all networks, a network, or all logins. Lock-outs that have ended are not listed.',
      query: LockOutQuery,
      returns: [200, listOf(LockOut)],
    },
    (ctx, { query }) => listLocks(ctx, query),
  ),
  endpoint(
    {
      id: 'lockOut.delete',
      route: `DELETE ${path}/{id}`,
      access: 'users.update',
      summary: 'End a lock-out',
      description:
        'A lock-out of an account ends for all networks. The caller must hold every permission of the user, and every permission for all sites to end the lock-out of a network or of all logins.',
      params: z.object({ id: Id.describe('Identifier of the lock-out.') }),
      returns: [204, null],
    },
    (ctx, { params }) => unlock(ctx, params.id),
  ),
];
