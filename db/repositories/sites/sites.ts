import { eq, sql } from 'drizzle-orm';
import { gatewaySites, gateways } from '../../schema/gateways/gateways.ts';
import { rules } from '../../schema/routing/rules.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { farms } from '../../schema/sites/farms.ts';
import { siteAuthenticators, siteGroups, siteUsers, sites as table } from '../../schema/sites/sites.ts';
import { webhookSites, webhooks } from '../../schema/webhooks/webhooks.ts';
import { siteState } from '../monitoring/component-state.ts';
import { records } from '../records/records.ts';
import { countOf, derived, memberIds, nameOf } from '../records/statements.ts';

const links = {
  authenticators: {
    table: siteAuthenticators,
    owner: siteAuthenticators.site_id,
    member: siteAuthenticators.authenticator_id,
  },
  users: { table: siteUsers, owner: siteUsers.site_id, member: siteUsers.user_id },
  groups: { table: siteGroups, owner: siteGroups.site_id, member: siteGroups.group_id },
};

/** The gateways of a site. The relation is edited through the gateway. */
const servedBy = { table: gatewaySites, owner: gatewaySites.site_id, member: gatewaySites.gateway_id };

/** A site passes if one node passes, fails if all enabled nodes fail, and is unknown otherwise. */
export const siteStatus = derived<'pass' | 'fail' | 'unknown'>(sql`
  select case when bool_or(${dispatchers.status} = 'pass') then 'pass'
              when bool_and(${dispatchers.status} in ('fail', 'unauthorized')) then 'fail' else 'unknown' end
  from ${dispatchers} join ${farms} on ${farms.id} = ${dispatchers.farm_id}
  where ${farms.site_id} = ${table.id} and ${dispatchers.enabled}`);

export const sites = records({
  table,
  select: {
    id: table.id,
    revision: table.revision,
    name: table.name,
    uri: table.uri,
    comments: table.comments,
    enabled: table.enabled,
    maintenance: table.maintenance,
    maintenance_template_id: table.maintenance_template_id,
    priority: table.priority,
    direct_when_gateways_fail: table.direct_when_gateways_fail,
    location: table.location,
    authenticators: memberIds(links.authenticators, table.id),
    users: memberIds(links.users, table.id),
    groups: memberIds(links.groups, table.id),
    farms_count: countOf(farms, farms.site_id, table.id),
    gateways: memberIds(servedBy, table.id),
    rules_count: countOf(rules, rules.site_id, table.id),
    status: siteStatus,
    state: siteState,
    created_at: table.created_at,
    updated_at: table.updated_at,
  },
  site: table.id,
  search: [table.name_key, table.uri],
  filters: {
    enabled: (value: boolean) => eq(table.enabled, value),
    maintenance: (value: boolean) => eq(table.maintenance, value),
    status: (value: string) => sql`${siteStatus} = ${value}`,
  },
  sorts: {
    name: table.name_key,
    uri: table.uri,
    created_at: table.created_at,
    updated_at: table.updated_at,
    priority: table.priority,
  },
  links,
  references: [
    { type: 'farm', table: farms, by: farms.site_id, id: farms.id, name: farms.name },
    {
      type: 'gateway',
      table: gatewaySites,
      by: gatewaySites.site_id,
      id: gatewaySites.gateway_id,
      name: nameOf(gateways, gatewaySites.gateway_id),
    },
    { type: 'rule', table: rules, by: rules.site_id, id: rules.id, name: rules.name },
    {
      type: 'webhook',
      table: webhookSites,
      by: webhookSites.site_id,
      id: webhookSites.webhook_id,
      name: nameOf(webhooks, webhookSites.webhook_id),
    },
  ],
  unique: { '/name': ['name_key'], '/uri': ['uri'] },
});
