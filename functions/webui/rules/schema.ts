import { z } from 'zod';
import { byKey, keyText } from '../../../shared/routing/facts.ts';
import {
  Comments,
  CreatedAt,
  flagFilter,
  Id,
  idOf,
  idsOf,
  Name,
  PlainName,
  Priority,
  TagNames,
  UpdatedAt,
} from '../../../shared/shapes/fields.ts';
import { PictureUri } from '../../../shared/shapes/picture-field.ts';

const Member = z.strictObject({
  farm_id: idOf('farm').describe('Identifier of a farm of the site of the rule.'),
  servicepool_uuid: Id.describe('Identifier of the pool, assigned by the dispatcher.'),
  priority: Priority.describe(
    'Rank of the member with `policy` `priority` or `least_loaded`. Lower numbers come first. Default 1.',
  ),
  enabled: z.boolean().default(true).describe('If false, the member is not used. Default true.'),
});

/** The order of the members does not matter; each pool occurs once. */
const Members = z
  .array(Member)
  .max(1000)
  .superRefine((members, issues) => {
    const seen = new Set<string>();
    for (const [at, member] of members.entries()) {
      if (seen.has(keyText(member)))
        issues.addIssue({
          code: 'custom',
          path: [at, 'servicepool_uuid'],
          message: 'Each pool can occur only once in a rule',
          params: { code: 'repeated' },
        });
      seen.add(keyText(member));
    }
  })
  .transform((members) => members.toSorted(byKey));

const Tags = TagNames.transform((names) => [...new Set(names)].sort());

const TagMatch = z
  .strictObject({
    any: Tags.describe('Tags of which a pool must have at least one. Default: none.'),
    all: Tags.describe('Tags that a pool must all have. Default: none.'),
  })
  .refine(({ any, all }) => any.length + all.length > 0, 'At least one tag is required')
  .nullable()
  .default(null)
  .meta({ example: { any: ['office'], all: [] } })
  .describe('Selection of pools of the site by tags instead of `members`. Null: the rule uses `members`.');

export const RuleWrite = z.object({
  name: Name.describe('Name of the rule, unique regardless of case.'),
  site_id: idOf('site').describe('Identifier of the site of the rule.'),
  comments: Comments,
  enabled: z
    .boolean()
    .default(true)
    .describe('If false, users do not see the service of the rule. Default true.'),
  display_name: PlainName.nullable().default(null).describe('Name that users see. Null: `name`.'),
  image_id: idOf('picture')
    .nullable()
    .default(null)
    .describe('Identifier of the picture that users see. Null: no picture.'),
  image: PictureUri.nullable()
    .default(null)
    // A form that can fill that member needs no input for this one.
    .meta({ 'x-stored-as': 'image_id' })
    .describe('New picture as a data URI. Write-only: the picture is stored and `image_id` refers to it.'),
  policy: z
    .enum(['priority', 'round_robin', 'least_loaded', 'random'])
    .default('priority')
    .describe(
      'Selection among equal members: `priority`, `round_robin` (in turn), `least_loaded` (least used pool) or `random`. Default `priority`.',
    ),
  failover: z
    .boolean()
    .default(true)
    .describe(
      'If true, the next member is tried if a member is full, closed or in maintenance, fails to prepare a machine, or cannot answer. Default true.',
    ),
  failover_from_owned: z
    .boolean()
    .default(false)
    .describe(
      'If true, another member may be used although the user has a machine at a member that cannot be used now. Default false.',
    ),
  affinity: z
    .enum(['session', 'last_used', 'none'])
    .default('session')
    .describe(
      'Preferred members: `session`: those with an open session of the user; `last_used`: also the member used last; `none`: no preference. Default `session`.',
    ),
  members: Members.default([]).describe(
    'Pools that the rule offers as one service. Default: none, if `match_tags` is set.',
  ),
  match_tags: TagMatch,
  users: idsOf('user')
    .default([])
    .describe(
      'Identifiers of the users that may use the rule. Without users and groups, all users of the site may use it.',
    ),
  groups: idsOf('group')
    .default([])
    .describe(
      'Identifiers of the groups whose members may use the rule. Without users and groups, all users of the site may use it.',
    ),
});

const { image: _, ...shown } = RuleWrite.shape;

export const Rule = z.strictObject({
  id: Id.describe('Identifier of the rule. Set by the portal.'),
  ...shown,
  display_name: z.string().describe('Name that users see. Default: `name`.'),
  site_name: z.string().describe('Name of the site.'),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});

export const ruleFilters = {
  site_id: idOf('site').optional().describe('Only rules of the site with this identifier.'),
  enabled: flagFilter.describe('Only rules with this value of `enabled`.'),
  image_id: idOf('picture').optional().describe('Only rules with the picture with this identifier.'),
};
export const ruleSorts = ['name', 'created_at', 'updated_at'] as const;
