import { users } from '../../../db/repositories/identity/users.ts';
import { crud } from '../../../shared/http/records/crud.ts';
import { patchBody } from '../../../shared/http/records/shapes.ts';
import { base } from '../deps.ts';
import { User, UserPatch, UserWrite, userFilters } from './schema.ts';

/** Writes of a user affect permissions or secrets, so they are use cases; only reads are generic. */
export const userCrud = crud({
  type: 'user',
  path: `${base}/authenticators/{auth_uuid}/users`,
  records: users,
  view: User,
  write: UserWrite,
  secrets: ['password'],
  idParam: 'uuid',
  parentParam: 'auth_uuid',
  filters: userFilters,
  sorts: ['name', 'created_at', 'updated_at'],
  verbs: ['list', 'get'],
});

export const userPatch = patchBody(
  UserPatch,
  userCrud.kind.readOnly.filter((name) => !Object.hasOwn(UserPatch.shape, name)),
);
