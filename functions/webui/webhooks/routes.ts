import { deliveries } from '../../../db/repositories/webhooks/deliveries.ts';
import { answerList } from '../../../shared/http/declare/list.ts';
import { listOf } from '../../../shared/shapes/list.ts';
import { viewOf } from '../../../shared/shapes/views.ts';
import { base, endpoint } from '../deps.ts';
import { replayAll, replayOne, sendTest } from './deliveries.ts';
import { webhookCrud } from './record.ts';
import { Delivery, DeliveryParams, DeliveryQuery, Replayed, WebhookParams } from './schema.ts';
import { createWebhook, replaceWebhook, rotateSecret, takeOver, updateWebhook } from './usecases.ts';

const { operations, declared, target } = webhookCrud;
const path = `${base}/webhooks/{id}` as const;
const view = viewOf(Delivery);
const ofOwner =
  'Only the owner can change the address, the events, the sites and the certificates. Another administrator takes over the ownership first.';

const writes = [
  endpoint(
    {
      ...declared.create,
      description:
        'The caller becomes the owner: only events of objects that the owner may read are sent. The response contains the secret that signs the events.',
      errors: ['already_exists', 'invalid_state'],
      needsLogin: true,
      shownOnce: ['secret'],
    },
    (ctx, { body }) => createWebhook(ctx, body),
  ),
  endpoint(
    { ...declared.replace, description: ofOwner, errors: ['already_exists', 'invalid_state'] },
    (ctx, input) => replaceWebhook(ctx, target(input), input.body),
  ),
  endpoint(
    {
      ...declared.update,
      description: `${declared.update.description} ${ofOwner}`,
      errors: ['already_exists', 'invalid_state'],
    },
    (ctx, input) => updateWebhook(ctx, target(input), input.body),
  ),
  endpoint(
    {
      id: 'webhook.rotateSecret',
      route: `POST ${path}/rotate_secret`,
      access: 'webhooks.update',
      summary: 'Create a new secret for a webhook',
      description:
        'The response contains the new secret. For 24 hours, events are signed with the former one as well. Only the owner can do so.',
      params: WebhookParams,
      conditional: true,
      needsLogin: true,
      returns: [200, declared.get.returns[1]],
      errors: ['invalid_state'],
      shownOnce: ['secret'],
    },
    (ctx, input) => rotateSecret(ctx, target(input)),
  ),
  endpoint(
    {
      id: 'webhook.takeOver',
      route: `POST ${path}/take_over`,
      access: 'webhooks.update',
      summary: 'Take over the ownership of a webhook',
      description: 'From then on, the rights of the caller decide which events are sent.',
      params: WebhookParams,
      conditional: true,
      needsLogin: true,
      returns: [200, declared.get.returns[1]],
      errors: ['invalid_state'],
    },
    (ctx, input) => takeOver(ctx, target(input)),
  ),
];

const ofDeliveries = [
  endpoint(
    {
      id: 'webhook.listDeliveries',
      route: `GET ${path}/deliveries`,
      access: 'webhooks.read',
      allSites: true,
      summary: 'List the deliveries of a webhook',
      description:
        'Finished deliveries are kept for 30 days, at most 10,000 of each webhook. Contents of responses are not stored.',
      params: WebhookParams,
      query: DeliveryQuery,
      mayLag: true,
      returns: [200, listOf(Delivery)],
    },
    (ctx, { params: { id }, query }) => answerList(ctx, deliveries, query, view, id),
  ),
  endpoint(
    {
      id: 'webhook.test',
      route: `POST ${path}/test`,
      access: 'webhooks.update',
      summary: 'Send a test event to a webhook',
      description: 'The event has the type `webhook.test`. The list of deliveries contains its result.',
      params: WebhookParams,
      returns: [202, Delivery],
      errors: ['invalid_state'],
    },
    (ctx, { params: { id } }) => sendTest(ctx, id),
  ),
  endpoint(
    {
      id: 'webhook.replayAll',
      route: `POST ${path}/replay`,
      access: 'webhooks.update',
      summary: 'Send all dead deliveries of a webhook again',
      params: WebhookParams,
      returns: [200, Replayed],
    },
    (ctx, { params: { id } }) => replayAll(ctx, id),
  ),
  endpoint(
    {
      id: 'webhook.replay',
      route: `POST ${path}/deliveries/{delivery_id}/replay`,
      access: 'webhooks.update',
      summary: 'Send a finished delivery of a webhook again',
      params: DeliveryParams,
      returns: [202, Delivery],
      errors: ['invalid_state'],
    },
    (ctx, { params: { id, delivery_id } }) => replayOne(ctx, id, delivery_id),
  ),
];

export const webhookOperations = [...operations, ...writes, ...ofDeliveries];
