import type { TestSettings } from './connection/test-query.ts';
import type { Draft } from './draft.ts';

/** What a connection to the node depends on. */
export const settingsOf = ({ kind, node, url, ca }: Draft, healthKey = ''): TestSettings => ({
  kind,
  name: node.trim(),
  url,
  ca_certificate: ca,
  health_key: healthKey === '' ? null : healthKey,
});
