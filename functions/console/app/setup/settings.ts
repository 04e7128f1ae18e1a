import type { Operations } from '../../../../shared/client/portal-client.ts';
import { isCapable } from '../../../../shared/remotes/dispatcher/capabilities.ts';
import type { TestSettings } from './connection/test-query.ts';
import type { Draft } from './draft.ts';

/** True for kinds of nodes on which the portal has an account; others accept tokens of the portal. */
export const hasAccount = ({ kind }: Pick<Draft, 'kind'>): boolean => isCapable(kind, 'service_account');

/**
 * What a connection to the node depends on.
 * @param secret the password of the account, or the key of the health check
 */
export function settingsOf(draft: Draft, secret = ''): TestSettings {
  const { kind, node, url, ca, accountDomain, accountName } = draft;
  const given = secret === '' ? null : secret;
  const shared = { kind, name: node.trim(), url, ca_certificate: ca };
  if (!hasAccount(draft)) return { ...shared, health_key: given };
  const isKnown = accountDomain !== '' && accountName !== '' && given !== null;
  if (!isKnown) return shared;
  return { ...shared, account_domain: accountDomain, account_name: accountName, account_password: given };
}

type FarmBody = Operations['site.setUp']['asks']['body']['farm'];

/** How users are named on the nodes of the farm. */
export function identityOf(draft: Draft): Partial<FarmBody> {
  if (!hasAccount(draft)) return {};
  const identity_domains = Object.entries(draft.identity).map(([label, { nodeLabel, userNames }]) => ({
    ...{ label, node_label: nodeLabel, user_names: userNames },
  }));
  return { creates_users: draft.createsUsers, identity_domains };
}
