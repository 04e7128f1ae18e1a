import { z } from 'zod';
import { byKey, keyText } from '../../../shared/fleet/routing-facts.ts';
import {
  Comments,
  flagFilter,
  Id,
  Ids,
  Moment,
  Name,
  PlainName,
  Priority,
  TagNames,
} from '../../../shared/http/fields.ts';
import { PictureUri } from '../../../shared/http/picture-field.ts';

const Member = z.strictObject({
  farm_id: Id,
  servicepool_uuid: Id.meta({ description: 'The pool, by the identifier that its dispatchers gave it' }),
  priority: Priority,
  enabled: z.boolean().default(true),
});

/** The order of the members does not matter; a pool is named once. */
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
          message: 'A rule names a pool once',
          params: { code: 'repeated' },
        });
      seen.add(keyText(member));
    }
  })
  .transform((members) => members.toSorted(byKey));

const Tags = TagNames.transform((names) => [...new Set(names)].sort());

const TagMatch = z
  .strictObject({ any: Tags, all: Tags })
  .refine(({ any, all }) => any.length + all.length > 0, 'Names no tag')
  .nullable()
  .default(null)
  .meta({
    description:
      'In place of members: pools of the site with one of `any` and every one of `all` of these tags',
    example: { any: ['office'], all: [] },
  });

export const RuleWrite = z.object({
  name: Name,
  site_id: Id,
  comments: Comments,
  enabled: z.boolean().default(true),
  display_name: PlainName.nullable()
    .default(null)
    .meta({ description: 'What users see; the name unless given' }),
  image_id: Id.nullable().default(null),
  image: PictureUri.nullable()
    .default(null)
    .meta({ description: 'Write-only: a picture as a data URI; it is stored, and `image_id` set to it' }),
  policy: z.enum(['priority', 'round_robin', 'least_loaded', 'random']).default('priority'),
  failover: z.boolean().default(true),
  affinity: z.enum(['session', 'last_used', 'none']).default('session'),
  members: Members.default([]),
  match_tags: TagMatch,
  users: Ids.default([]).meta({ description: 'Without users and groups: whoever may use the site' }),
  groups: Ids.default([]),
});

const { image: _, ...shown } = RuleWrite.shape;

export const Rule = z.strictObject({
  id: Id,
  ...shown,
  display_name: z.string(),
  site_name: z.string(),
  created_at: Moment,
  updated_at: Moment,
});

export const ruleFilters = { site_id: Id.optional(), enabled: flagFilter };
export const ruleSorts = ['name', 'created_at', 'updated_at'] as const;
