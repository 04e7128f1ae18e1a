import {
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { byteText, recordColumns } from '../columns.ts';
import { groups } from '../identity/groups.ts';
import { users } from '../identity/users.ts';
import { images } from '../settings/images.ts';
import { farms } from '../sites/farms.ts';
import { sites } from '../sites/sites.ts';

/** Matches pools that have all tags of `all` and, unless it is empty, at least one tag of `any`. */
export type TagMatch = { any: string[]; all: string[] };

/** Rules merge pools of several farms of a site into one service for users. */
export const rules = pgTable(
  'rules',
  {
    ...recordColumns,
    name: text().notNull(),
    name_key: byteText().notNull(),
    site_id: uuid()
      .notNull()
      .references(() => sites.id, { onDelete: 'restrict' }),
    comments: text().notNull().default(''),
    enabled: boolean().notNull().default(true),
    display_name: text().notNull(),
    image_id: uuid().references(() => images.id, { onDelete: 'restrict' }),
    policy: text()
      .$type<'priority' | 'round_robin' | 'least_loaded' | 'random'>()
      .notNull()
      .default('priority'),
    failover: boolean().notNull().default(true),
    failover_from_owned: boolean().notNull().default(false),
    affinity: text().$type<'session' | 'last_used' | 'none'>().notNull().default('session'),
    match_tags: jsonb().$type<TagMatch>(),
  },
  (t) => [
    uniqueIndex('rules_name_key').on(t.name_key),
    index('rules_site').on(t.site_id, t.name_key, t.id),
    index('rules_image').on(t.image_id),
  ],
);

const ruleId = () =>
  uuid()
    .notNull()
    .references(() => rules.id, { onDelete: 'cascade' });

/** `servicepool_uuid` is the identifier of the dispatcher; a farm may appear with several pools. */
export const ruleMembers = pgTable(
  'rule_members',
  {
    rule_id: ruleId(),
    farm_id: uuid()
      .notNull()
      .references(() => farms.id, { onDelete: 'restrict' }),
    servicepool_uuid: uuid().notNull(),
    priority: integer().notNull().default(1),
    enabled: boolean().notNull().default(true),
  },
  (t) => [
    primaryKey({ columns: [t.rule_id, t.farm_id, t.servicepool_uuid] }),
    index('rule_members_pool').on(t.farm_id, t.servicepool_uuid),
  ],
);

export const ruleUsers = pgTable(
  'rule_users',
  {
    rule_id: ruleId(),
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
  },
  (t) => [primaryKey({ columns: [t.rule_id, t.user_id] }), index('rule_users_user').on(t.user_id)],
);

export const ruleGroups = pgTable(
  'rule_groups',
  {
    rule_id: ruleId(),
    group_id: uuid()
      .notNull()
      .references(() => groups.id, { onDelete: 'restrict' }),
  },
  (t) => [primaryKey({ columns: [t.rule_id, t.group_id] }), index('rule_groups_group').on(t.group_id)],
);
