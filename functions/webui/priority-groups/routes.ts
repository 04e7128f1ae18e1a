import { priorityGroups } from '../../../db/repositories/sites/priority-groups.ts';
import { crud } from '../../../shared/http/records/crud.ts';
import { base } from '../deps.ts';
import { PriorityGroup, PriorityGroupWrite } from './schema.ts';

export const priorityGroupCrud = crud({
  type: 'priority_group',
  path: `${base}/priority_groups`,
  records: priorityGroups,
  view: PriorityGroup,
  write: PriorityGroupWrite,
  sorts: ['name', 'priority', 'created_at', 'updated_at'],
  sited: true,
  verbs: ['list', 'create', 'get', 'replace', 'update', 'delete'],
});
