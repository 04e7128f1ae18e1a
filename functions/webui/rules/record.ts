import { rules } from '../../../db/repositories/routing/rules.ts';
import { crud } from '../../../shared/http/records/crud.ts';
import { base } from '../deps.ts';
import { Rule, RuleWrite, ruleFilters, ruleSorts } from './schema.ts';

/** Writes of a rule also create and delete pictures, so they are use cases. */
export const ruleCrud = crud({
  type: 'rule',
  path: `${base}/rules`,
  records: rules,
  view: Rule,
  write: RuleWrite,
  placedBy: 'site_id',
  filters: ruleFilters,
  sorts: ruleSorts,
  verbs: ['list', 'get'],
  sited: true,
});
