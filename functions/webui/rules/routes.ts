import { z } from 'zod';
import { listShowing } from '../../../db/repositories/records/list-columns.ts';
import { rulesOfSite } from '../../../db/repositories/routing/rules.ts';
import { answerList } from '../../../shared/http/declare/list.ts';
import { Id, idOf } from '../../../shared/shapes/fields.ts';
import { listOf, listQuery } from '../../../shared/shapes/list.ts';
import { base, endpoint } from '../deps.ts';
import { explainRule } from './explanation.ts';
import { RuleExplanation } from './explanation-schema.ts';
import { ruleCrud } from './record.ts';
import { Rule, ruleFilters, ruleSorts } from './schema.ts';
import { createRule, deleteRule, replaceRule, updateRule } from './usecases.ts';

const { operations, declared, kind, target } = ruleCrud;
const listed = listShowing(rulesOfSite, kind.view.columns);
/** Leaves room for a picture. */
const maxBodyBytes = 2 * 1_048_576;

export const ruleOperations = [
  ...operations,
  endpoint({ ...declared.create, maxBodyBytes }, (ctx, { body }) => createRule(ctx, body)),
  endpoint({ ...declared.replace, maxBodyBytes }, (ctx, input) =>
    replaceRule(ctx, target(input), input.body),
  ),
  endpoint({ ...declared.update, maxBodyBytes }, (ctx, input) => updateRule(ctx, target(input), input.body)),
  endpoint(declared.delete, (ctx, input) => deleteRule(ctx, target(input))),
  endpoint(
    {
      id: 'rule.explain',
      route: `GET ${base}/rules/{id}/explain`,
      access: 'rules.explain',
      summary: 'Explain a rule for a user',
      description:
        'The answer has the members of the rule in the order in which a connection of the user tries them, with everything that excludes or orders them. Dispatchers are not called.',
      params: z.object({ id: Id.describe('Identifier of the rule.') }),
      query: z.strictObject({
        user_id: idOf('user').optional().describe('Identifier of the user. Default: the caller.'),
      }),
      returns: [200, RuleExplanation],
      errors: ['not_found'],
    },
    (ctx, { params, query }) => explainRule(ctx, params.id, query.user_id),
  ),
  endpoint(
    {
      id: 'site.listRules',
      route: `GET ${base}/sites/{id}/rules`,
      access: 'rules.read',
      summary: 'List the rules of a site',
      params: z.object({ id: Id.describe('Identifier of the site.') }),
      query: listQuery(ruleSorts, ruleFilters),
      mayLag: true,
      returns: [200, listOf(Rule)],
    },
    (ctx, { params, query }) => answerList(ctx, listed, query, kind.view, params.id),
  ),
];
