import { roles } from '../../../db/repositories/identity/roles.ts';
import { crud } from '../../../shared/http/records/crud.ts';
import { base } from '../deps.ts';
import { Role, RoleWrite } from './schema.ts';

/** Writes check the permissions that a role grants and its holders; only reads are generic. */
export const roleCrud = crud({
  type: 'role',
  path: `${base}/rbac`,
  records: roles,
  view: Role,
  write: RoleWrite,
  sorts: ['name', 'created_at', 'updated_at'],
  verbs: ['list', 'get'],
});
