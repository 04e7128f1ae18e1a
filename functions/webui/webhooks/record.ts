import { webhooks } from '../../../db/repositories/webhooks/webhooks.ts';
import { crud } from '../../../shared/http/records/crud.ts';
import { base } from '../deps.ts';
import { Webhook, WebhookWrite, webhookFilters } from './schema.ts';

/** Create and update are use cases (address policy, owner, secret); the other operations are generic. */
export const webhookCrud = crud({
  type: 'webhook',
  path: `${base}/webhooks`,
  records: webhooks,
  view: Webhook,
  write: WebhookWrite,
  filters: webhookFilters,
  sorts: ['name', 'created_at', 'updated_at'],
  verbs: ['list', 'get', 'delete', 'bulkDestroy'],
});
