import type { Operations } from '../../../../shared/client/portal-client.ts';
import { facts } from '../facts.ts';
import type { TestSettings } from './connection/test-query.ts';

type Identity = NonNullable<Operations['farm.create']['asks']['body']['identity_domains']>[number];
export type UserNames = Identity['user_names'];

/** What was typed into the steps. It is kept for this tab of the browser, without secrets. */
export type Draft = {
  kind: TestSettings['kind'] & string;
  /** Of the site. */
  name: string;
  uri: string;
  farm: string;
  url: string;
  /** Name of the node. */
  node: string;
  /** PEM of the trusted certificates. */
  ca: string | null;
  /** The account of the portal on the node, where the kind has one. The password is not kept. */
  accountDomain: string;
  accountName: string;
  /** Labels and login names of domains on the nodes, by the label in the portal. */
  identity: Record<string, { nodeLabel: string; userNames: UserNames }>;
  createsUsers: boolean;
  /** What was entered as the certificate of an authority. */
  pem: string;
  /** Members that differ from the suggestions. */
  own: ('uri' | 'farm' | 'node')[];
};

export const emptyDraft: Draft = {
  ...{ kind: 'dispatcher', name: '', uri: '', farm: '', url: '', node: '', ca: null, pem: '', own: [] },
  ...{ accountDomain: '', accountName: '', identity: {}, createsUsers: false },
};

/** Another user may sign in in the same tab. */
const key = `draft setup ${facts.user.id}`;

export function readDraft(): Draft {
  try {
    return { ...emptyDraft, ...JSON.parse(sessionStorage.getItem(key) ?? '{}') };
  } catch {
    return emptyDraft;
  }
}

export function keepDraft(draft: Draft): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // The steps then start over after a reload.
  }
}

export function dropDraft(): void {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // Nothing is stored.
  }
}
