import { z } from 'zod';
import { refusalReasons } from '../../../shared/remotes/dispatcher/refusals.ts';
import { Conflict } from '../../../shared/routing/explain-query.ts';
import { Id, Moment } from '../../../shared/shapes/fields.ts';
import { RuleWrite } from './schema.ts';

const { policy, failover, failover_from_owned, affinity } = RuleWrite.shape;

const Obstacle = z.strictObject({
  step: z
    .string()
    .describe(
      'Stage at which the member is excluded: `rule`, `member`, `site`, `farm`, `entitlement`, `pool`, `node` or `failover`.',
    ),
  reason: z
    .string()
    .describe('Stable word for the cause, such as `farm_maintenance`, `not_entitled` or `circuit_open`.'),
});

const Node = z.strictObject({
  id: Id.describe('Identifier of the dispatcher.'),
  name: z.string().describe('Name of the dispatcher.'),
  enabled: z.boolean().describe('If false, the dispatcher is not called.'),
  status: z
    .enum(['pass', 'fail', 'unauthorized', 'unknown'])
    .describe(
      'Result of the last probe: `pass`, `fail`, `unauthorized` (the node rejects the credentials of the portal) or `unknown` (not probed).',
    ),
  circuit: z
    .enum(['closed', 'open', 'half_open'])
    .describe(
      'State of the circuit breaker: `closed`: calls are allowed; `open`: calls are blocked after failures; `half_open`: a trial call is running.',
    ),
});

const Preference = z.strictObject({
  id: Id.describe('Identifier of the priority group.'),
  name: z.string().describe('Name of the priority group.'),
  priority: z.int().describe('Rank of the priority group among those of the user.'),
  farm_priority: z.int().describe('Rank of the farm in the priority group.'),
});

const ExplainedMember = z.strictObject({
  farm_id: Id.describe('Identifier of the farm.'),
  farm_name: z.string().nullable().describe('Name of the farm. Null for a farm of another site.'),
  servicepool_uuid: Id.describe('Identifier of the pool, assigned by the dispatcher.'),
  servicepool_name: z.string().nullable().describe('Name of the pool. Null if it is not in the snapshot.'),
  outcome: z
    .enum(['chosen', 'candidate', 'excluded'])
    .describe(
      '`chosen`: tried first; `candidate`: tried if an earlier member cannot answer; `excluded`: not tried.',
    ),
  step: z
    .string()
    .describe(
      'Stage that decides: a stage of `obstacles` for an excluded member, otherwise what determines its place: `affinity`, `priority_group` or `policy`.',
    ),
  reason: z.string().describe('Stable word for the cause, such as `live_session` or `farm_maintenance`.'),
  obstacles: z
    .array(Obstacle)
    .describe('All causes that exclude the member, in the order in which they are checked.'),
  priority: z.int().describe('Rank of the member in the rule. Lower numbers come first.'),
  enabled: z.boolean().describe('If false, the member is not used.'),
  usage_percent: z
    .number()
    .nullable()
    .describe('Used part of the pool in percent. Null if the dispatcher does not report it.'),
  entitled: z
    .boolean()
    .nullable()
    .describe(
      'True if the latest service list of the user contains the pool. Null without a recent list: the dispatcher then decides at the connection.',
    ),
  domain_linked: z
    .boolean()
    .nullable()
    .describe('True if the dispatchers have the domain of the user. Null if their domains are unknown.'),
  refusal: z
    .enum(refusalReasons)
    .nullable()
    .describe(
      'Why the dispatchers have no account that the user may use: `unknown`, `inactive`, `no_groups`, `privileged_account` (staff of the dispatcher) or `domain_not_linked`. Null if they have one, or were not asked for the user.',
    ),
  listed_at: Moment.nullable().describe(
    'When the dispatcher last listed the services of the user, or refused the user. Null without an answer.',
  ),
  healthy: z
    .boolean()
    .describe('True if a dispatcher of the farm passed its last probe. Other farms come last.'),
  maintenance_until: Moment.nullable().describe('End of the maintenance of the farm. Null if not planned.'),
  nodes: z.array(Node).describe('Dispatchers of the farm.'),
  priority_group: Preference.nullable().describe(
    'Priority group that ranks the farm for the user. Null if no priority group does.',
  ),
});

/** Why a user is connected to one member of a rule and not to another. */
export const RuleExplanation = z.strictObject({
  generated_at: Moment.describe('When the explanation was made.'),
  rule: z
    .strictObject({
      id: Id.describe('Identifier of the rule.'),
      name: z.string().describe('Name of the rule.'),
      enabled: z.boolean().describe('If false, users do not see the service of the rule.'),
      for_user: z.boolean().describe('True if the rule is assigned to the user.'),
      by_tags: z.boolean().describe('True if the members are the pools with the tags of the rule.'),
      policy,
      failover,
      failover_from_owned,
      affinity,
    })
    .describe('The rule that is explained.'),
  site: z
    .strictObject({
      id: Id.describe('Identifier of the site.'),
      name: z.string().describe('Name of the site.'),
      enabled: z.boolean().describe('If false, users do not see the site.'),
      for_user: z.boolean().describe('True if the user may use the site, by domain, group or name.'),
      maintenance: z.boolean().describe('True during a maintenance of the site that blocks users.'),
      maintenance_until: Moment.nullable().describe(
        'End of the maintenance of the site. Null if not planned.',
      ),
    })
    .describe('Site of the rule, as the user may use it.'),
  user: z
    .strictObject({
      id: Id.describe('Identifier of the user.'),
      name: z.string().describe('Name of the user.'),
      domain_id: Id.describe('Identifier of the domain of the user.'),
      domain: z.string().describe('Label of the domain of the user.'),
    })
    .describe('The user that the decision is for.'),
  members: z
    .array(ExplainedMember)
    .describe(
      'Members of the rule in the order in which they are tried, then the excluded ones. Empty if the site is disabled or not assigned to the user.',
    ),
  conflict: Conflict.optional(),
});
