import { webui } from '../support/installation.ts';
import type { Seeded } from '../twins/twins.ts';
import { list, one, type Question } from './questions.ts';

const peers = '/api/aggregator/v7.0/peers';
const tickets = '/api/wsproxy/v7.0/ticket';

/** An unknown export: requesting one would be a write. */
const exportReads = Object.fromEntries(
  ['appnodes/portals', 'audit', 'monitoring', 'tags'].map((what) => [
    `${webui}/${what}/export`,
    [{ path: `${webui}/${what}/export?export_id=01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11`, status: 404 }],
  ]),
);

/** The request of every read of further administration objects, by its path in the document. */
export function administrationReads({ domain, user, service_user, site, farm, made, pool }: Seeded) {
  const users = `${webui}/authenticators/${domain.id}/users`;
  const { gateway, template, record, priority_group, rule, tag, peer, webhook, picture } = made;
  return {
    ...exportReads,
    // Reads of agents by their own tokens, which an administrator does not have.
    '/api/agent/v7.0/notify': [
      { path: '/api/agent/v7.0/notify?action=login', who: 'anonymous', status: 422 },
    ],
    '/api/ssa/v7.0/messages': [{ path: '/api/ssa/v7.0/messages?wait=0', who: 'anonymous', status: 401 }],
    '/api/aggregator/v7.0/peers': list(peers),
    '/api/aggregator/v7.0/peers/{id}': one(`${peers}/${peer.id}`),
    '/api/aggregator/v7.0/portals/self': one('/api/aggregator/v7.0/portals/self', 'user'),
    // A ticket works once, so that it cannot be used twice for the comparison.
    '/api/wsproxy/v7.0/ticket/{ticket}/{client_ip}/{gateway_token}': [
      { path: `${tickets}/${'A'.repeat(48)}/192.0.2.7/${'B'.repeat(48)}`, who: 'anonymous', status: 403 },
      { path: `${tickets}/x/y/z`, who: 'anonymous', status: 403 },
    ],
    '/api/wsproxy/v7.0/ticket/{notify}/stop/{gateway_token}': [
      {
        path: `${tickets}/${'A'.repeat(48)}/stop/${'B'.repeat(48)}?sent=1&recv=2`,
        who: 'anonymous',
        status: 403,
      },
    ],
    '/api/userinfo/images/{image_id}': one('/api/userinfo/images/rdp', 'user'),
    '/api/auth/v7.0/passkeys': one('/api/auth/v7.0/passkeys', 'user'),
    '/api/userinfo/sessions': one('/api/userinfo/sessions', 'user'),
    '/api/userinfo/service_tokens': list('/api/userinfo/service_tokens'),
    '/api/userinfo/themes': one('/api/userinfo/themes', 'user'),
    '/api/userinfo/views': one('/api/userinfo/views', 'user'),
    '/api/webui/aggregator/appnodes/portals': one(`${webui}/appnodes/portals?search=nothing`),
    '/api/webui/aggregator/audit': [
      { path: `${webui}/audit?event=portal.EntityAction&object_type=site&count=exact` },
      { path: `${webui}/audit?category=auth&sort=at&limit=3` },
    ],
    '/api/webui/aggregator/certificates': one(`${webui}/certificates`),
    '/api/webui/aggregator/exports': one(`${webui}/exports`),
    '/api/webui/aggregator/audit/verify': one(`${webui}/audit/verify?from=1&to=3`),
    '/api/webui/aggregator/authenticators/gui/{data_type}': [
      ...one(`${webui}/authenticators/gui/internal`),
      ...one(`${webui}/authenticators/gui/active_directory`),
    ],
    '/api/webui/aggregator/authenticators/{auth_uuid}/groups/external': [
      { path: `${webui}/authenticators/${domain.id}/groups/external`, status: 409 },
    ],
    '/api/webui/aggregator/authenticators/types': one(`${webui}/authenticators/types`),
    '/api/webui/aggregator/authenticators/{auth_uuid}/users/{uuid}/sessions': one(
      `${users}/${user.id}/sessions`,
    ),
    '/api/webui/aggregator/authenticators/{auth_uuid}/users/{uuid}/tokens': one(
      `${users}/${service_user.id}/tokens`,
    ),
    '/api/webui/aggregator/users': list(`${webui}/users`, '-name'),
    '/api/webui/aggregator/users/{id}/access': one(`${webui}/users/${user.id}/access`),
    '/api/webui/aggregator/login-sessions': one(`${webui}/login-sessions?user=${service_user.id}`),
    '/api/webui/aggregator/lock-outs': one(`${webui}/lock-outs`),
    '/api/webui/aggregator/service-tokens': list(`${webui}/service-tokens`, 'name'),
    '/api/webui/aggregator/dashboard/admin': one(`${webui}/dashboard/admin`),
    '/api/webui/aggregator/dashboard/user/{site_uri}': one(`${webui}/dashboard/user/${site.uri}`, 'user'),
    '/api/webui/aggregator/gallery/images/srvimg/{image_id}': one(
      `${webui}/gallery/images/srvimg/${rule.image_id}`,
    ),
    '/api/webui/aggregator/gallery/images/transicon/{image_id}': one(
      `${webui}/gallery/images/transicon/spice`,
    ),
    '/api/webui/aggregator/farms/{id}/tags': one(`${webui}/farms/${farm.id}/tags`),
    '/api/webui/aggregator/servicespools': list(`${webui}/servicespools`, '-name'),
    '/api/webui/aggregator/servicespools/{service_pool_uuid}/policies': one(
      `${webui}/servicespools/${pool}/policies?farm_id=${farm.id}`,
    ),
    '/api/webui/aggregator/workplaces': list(`${webui}/workplaces`, '-name'),
    '/api/webui/aggregator/spsessions': list(`${webui}/spsessions`, 'started_at'),
    '/api/webui/aggregator/gateways': list(`${webui}/gateways`),
    '/api/webui/aggregator/gateways/{id}': one(`${webui}/gateways/${gateway.id}`),
    '/api/webui/aggregator/maintenance': list(`${webui}/maintenance`),
    '/api/webui/aggregator/maintenance/calendar': one(
      `${webui}/maintenance/calendar?from=2020-01-01T00:00:00Z&days=7`,
    ),
    '/api/webui/aggregator/maintenance/{id}': one(`${webui}/maintenance/${template.id}`),
    '/api/webui/aggregator/monitoring': list(`${webui}/monitoring`, 'at').map((question) => ({
      ...question,
      path: `${question.path}&source=site`,
    })),
    '/api/webui/aggregator/monitoring/{id}': one(`${webui}/monitoring/${record.id}`),
    '/api/webui/aggregator/node-info': one(`${webui}/node-info`),
    '/api/webui/aggregator/priority_groups': list(`${webui}/priority_groups`),
    '/api/webui/aggregator/priority_groups/{id}': one(`${webui}/priority_groups/${priority_group.id}`),
    '/api/webui/aggregator/rules': list(`${webui}/rules`),
    '/api/webui/aggregator/rules/{id}': one(`${webui}/rules/${rule.id}`),
    '/api/webui/aggregator/rules/{id}/explain': one(`${webui}/rules/${rule.id}/explain?user_id=${user.id}`),
    '/api/webui/aggregator/sites/{id}/rules': list(`${webui}/sites/${site.id}/rules`),
    '/api/webui/aggregator/gallery/images': list(`${webui}/gallery/images`),
    '/api/webui/aggregator/gallery/images/{id}': one(`${webui}/gallery/images/${picture.id}`),
    '/api/webui/aggregator/tags': list(`${webui}/tags`),
    '/api/webui/aggregator/tags/{id}': one(`${webui}/tags/${tag.id}`),
    '/api/webui/aggregator/webhooks': list(`${webui}/webhooks`),
    '/api/webui/aggregator/webhooks/{id}': one(`${webui}/webhooks/${webhook.id}`),
    '/api/webui/aggregator/webhooks/{id}/deliveries': one(`${webui}/webhooks/${webhook.id}/deliveries`),
    '/api/webui/aggregator/tconfig': one(`${webui}/tconfig`),
  } satisfies Record<string, Question[]>;
}
