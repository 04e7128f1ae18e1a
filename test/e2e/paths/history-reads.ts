import { webui } from '../support/installation.ts';
import type { Seeded } from '../twins/twins.ts';
import { one, type Question } from './questions.ts';

const unknown = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';

/** The requests of every read of the history of a record, by its path in the document. */
export function historyReads(seeded: Seeded): Record<string, Question[]> {
  const { domain, group, user, site, site_version, farm, dispatcher, role, made } = seeded;
  const records = {
    'authenticators/{uuid}': `authenticators/${domain.id}`,
    'authenticators/{auth_uuid}/groups/{uuid}': `authenticators/${domain.id}/groups/${group.id}`,
    'authenticators/{auth_uuid}/users/{uuid}': `authenticators/${domain.id}/users/${user.id}`,
    'rbac/{id}': `rbac/${role.id}`,
    'sites/{id}': `sites/${site.id}`,
    'farms/{id}': `farms/${farm.id}`,
    'dispatchers/{id}': `dispatchers/${dispatcher.id}`,
    'tags/{id}': `tags/${made.tag.id}`,
    'gateways/{id}': `gateways/${made.gateway.id}`,
    'maintenance/{id}': `maintenance/${made.template.id}`,
    'priority_groups/{id}': `priority_groups/${made.priority_group.id}`,
    'gallery/images/{id}': `gallery/images/${made.picture.id}`,
    'webhooks/{id}': `webhooks/${made.webhook.id}`,
    'rules/{id}': `rules/${made.rule.id}`,
  };
  const reads = Object.entries(records).flatMap(([template, path]): [string, Question[]][] => [
    [`${webui}/${template}/history`, one(`${webui}/${path}/history?limit=1&sort=at`)],
    [
      `${webui}/${template}/history/{version}`,
      [
        { path: `${webui}/${path}/history/${unknown}`, status: 404 },
        ...(template === 'sites/{id}' ? one(`${webui}/${path}/history/${site_version}`) : []),
      ],
    ],
  ]);
  return Object.fromEntries(reads);
}
