import { facts } from '../facts.ts';

/** What was typed into the steps. It is kept for this tab of the browser, without the key of the health check. */
export type Draft = {
  kind: 'dispatcher';
  /** Of the site. */
  name: string;
  uri: string;
  farm: string;
  url: string;
  /** Name of the node. */
  node: string;
  /** PEM of the trusted certificates. */
  ca: string | null;
  /** What was entered as the certificate of an authority. */
  pem: string;
  /** Members that differ from the suggestions. */
  own: ('uri' | 'farm' | 'node')[];
};

export const emptyDraft: Draft = {
  ...{ kind: 'dispatcher', name: '', uri: '', farm: '', url: '', node: '', ca: null, pem: '', own: [] },
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
