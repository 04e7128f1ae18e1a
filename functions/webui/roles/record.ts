import { roles } from '../../../db/repositories/identity/roles.ts';
import { crud } from '../../../shared/http/records/crud.ts';
import { base } from '../deps.ts';
import { Role, RoleWrite } from './schema.ts';

/** What a role grants, and to whom, is decided at every write; only reads are plain. */
export const roleCrud = crud({
  type: 'role',
  path: `${base}/rbac`,
  records: roles,
  view: Role,
  write: RoleWrite,
  sorts: ['name', 'created_at', 'updated_at'],
  verbs: ['list', 'get'],
});
