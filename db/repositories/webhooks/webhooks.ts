import { eq, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { users } from '../../schema/identity/users.ts';
import { webhookDeliveries } from '../../schema/webhooks/deliveries.ts';
import { webhooks as table, webhookSites } from '../../schema/webhooks/webhooks.ts';
import { mayAct } from '../identity/login/sessions.ts';
import { records } from '../records/records.ts';
import { derived, memberIds, must } from '../records/statements.ts';

const links = {
  sites: { table: webhookSites, owner: webhookSites.webhook_id, member: webhookSites.site_id },
};

/** The enabled account that owns a webhook, for an EXISTS or a lateral join. */
export const livingOwner = sql`${users} join ${authenticators} on ${authenticators.id} = ${users.authenticator_id}
  where ${users.id} = ${table.owner_id} and ${mayAct}`;

/** Whether deliveries wait, because the owner is disabled or deleted. */
export const isPaused = sql<boolean>`(${table.enabled} and not exists (select from ${livingOwner}))`;

export type WebhookState = 'active' | 'paused' | 'disabled';
const state = derived<WebhookState>(
  sql`case when not ${table.enabled} then 'disabled' when ${isPaused} then 'paused' else 'active' end`,
);

type StateReason = 'gone' | 'failing' | 'owner_disabled' | 'owner_deleted';
const reason = derived<StateReason | null>(sql`case when not ${table.enabled} then ${table.disabled_reason}
  when ${table.owner_id} is null then 'owner_deleted' when ${isPaused} then 'owner_disabled' end`);

const countIn = (where: 'waiting' | 'dead') =>
  derived<number>(
    sql`select count(*)::int from ${webhookDeliveries} where ${webhookDeliveries.webhook_id} = ${table.id}
      and ${webhookDeliveries.state} = ${sql.raw(`'${where}'`)}`,
  );

/** Webhooks concern the whole installation, so they are visible with the permission for all sites only. */
export const webhooks = records({
  table,
  select: {
    id: table.id,
    revision: table.revision,
    name: table.name,
    url: table.url,
    events: table.events,
    sites: memberIds(links.sites, table.id),
    enabled: table.enabled,
    comments: table.comments,
    ca_certificate: table.ca_certificate,
    // No view shows it.
    sealed_query: table.sealed_query,
    // Sealed. Views show `null`, and the boolean `secret_set`.
    secret: table.sealed_secret,
    former_until: derived<Date | null>(
      sql`case when ${table.former_until} > now() then ${table.former_until} end`,
    ).mapWith(table.former_until),
    state,
    reason,
    owner_id: table.owner_id,
    owner: derived<string | null>(
      sql`select ${users.name} || ' @ ' || ${authenticators.small_name} from ${users}
        join ${authenticators} on ${authenticators.id} = ${users.authenticator_id} where ${users.id} = ${table.owner_id}`,
    ),
    waiting: countIn('waiting'),
    dead: countIn('dead'),
    dropped: table.dropped,
    failing_since: table.failing_since,
    last_success_at: table.last_success_at,
    created_at: table.created_at,
    updated_at: table.updated_at,
  },
  within: (scope) => (scope === '*' ? undefined : sql`false`),
  search: [table.name_key, sql`lower(${table.url})`],
  filters: {
    enabled: (value: boolean) => eq(table.enabled, value),
    state: (value: WebhookState) => sql`${state} = ${value}`,
    site_id: (value: string) =>
      sql`exists (select from ${webhookSites} where ${webhookSites.webhook_id} = ${table.id} and ${webhookSites.site_id} = ${value}::uuid)`,
  },
  sorts: { name: table.name_key, created_at: table.created_at, updated_at: table.updated_at },
  links,
  unique: { '/name': ['name_key'] },
});

/** Maximum number of webhooks of an installation. */
const most = 100;

/** Fails the batch with `invalid_state` if there are too many webhooks. */
export const mustNotBeTooMany = (h: Db): Statement =>
  must(h, sql`(select count(*) from ${table}) < ${most}`, 'invalid_state:too_many_webhooks');
