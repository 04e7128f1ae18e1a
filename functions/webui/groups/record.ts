import { groups } from '../../../db/repositories/identity/groups.ts';
import { crud } from '../../../shared/http/records/crud.ts';
import { base } from '../deps.ts';
import { Group, GroupWrite, groupFilters } from './schema.ts';

/** A group that skips the second factor weakens its members' login, so writes of a group are use cases. */
export const groupCrud = crud({
  type: 'group',
  path: `${base}/authenticators/{auth_uuid}/groups`,
  records: groups,
  view: Group,
  write: GroupWrite,
  immutable: ['name', 'external_id', 'type'],
  idParam: 'uuid',
  parentParam: 'auth_uuid',
  filters: groupFilters,
  sorts: ['name', 'created_at', 'updated_at'],
  verbs: ['list', 'get'],
});
