import { z } from 'zod';
import { Address } from '../../../shared/shapes/addresses.ts';
import {
  Certificates,
  Comments,
  CreatedAt,
  flagFilter,
  Id,
  idOf,
  idsOf,
  Moment,
  Name,
  UpdatedAt,
} from '../../../shared/shapes/fields.ts';
import { listQuery } from '../../../shared/shapes/list.ts';
import { eventTypes, testEvent } from '../../../shared/webhooks/event-types.ts';

const Event = z.enum(eventTypes);

export const WebhookWrite = z.object({
  name: Name.describe('Name of the webhook, unique regardless of case.'),
  url: Address('webhook')
    .meta({ example: 'https://hooks.example.com/portal' })
    .describe(
      'Address that events are sent to, `https` only. A query is stored encrypted, and answers contain `?…` in its place. An address with `?…` that is sent back keeps the stored query.',
    ),
  events: z
    .array(Event.meta({ example: 'site.updated' }))
    .min(1)
    .max(eventTypes.length)
    .transform((events) => [...new Set(events)].sort())
    .meta({ example: ['site.updated', 'monitoring.critical'] })
    .describe('Types of events that are sent. A monitoring event has the severity of its record.'),
  sites: idsOf('site')
    .default([])
    .describe(
      'Identifiers of the sites whose events are sent. Events of objects without a site are always sent. Default: none, for all sites.',
    ),
  enabled: z.boolean().default(true).describe('If false, no events are sent or queued. Default true.'),
  comments: Comments,
  ca_certificate: Certificates.nullable()
    .default(null)
    .describe(
      'PEM certificates trusted for the receiver. Null: the public certificate authorities are trusted.',
    ),
});

const State = z.enum(['active', 'paused', 'disabled']);

export const Webhook = z.strictObject({
  id: Id.describe('Identifier of the webhook. Set by the portal.'),
  ...WebhookWrite.shape,
  state: State.describe(
    '`active`; `paused`: events wait, because the owner is disabled or deleted; `disabled`: nothing is sent or queued.',
  ),
  reason: z
    .enum(['gone', 'failing', 'owner_disabled', 'owner_deleted'])
    .nullable()
    .describe(
      'Why the portal has disabled or paused the webhook: `gone` (the receiver returned 410), `failing` (no success for five days), `owner_disabled` or `owner_deleted`. Null if it is neither.',
    ),
  owner: z.string().nullable().describe('Name and domain of the owner. Null if the user is deleted.'),
  waiting: z.int().describe('Number of events that wait for their delivery.'),
  dead: z
    .int()
    .describe('Number of events whose last attempt failed and that are not sent again by themselves.'),
  dropped: z
    .int()
    .describe('Number of events that were not queued, because 10,000 events of the webhook were waiting.'),
  failing_since: Moment.nullable().describe(
    'First failed attempt since the last success. Null while deliveries succeed.',
  ),
  last_success_at: Moment.nullable().describe('Time of the last successful delivery. Null before the first.'),
  owner_id: Id.nullable().describe(
    'Identifier of the user whose rights decide which events are sent. Null if the user is deleted.',
  ),
  secret: z
    .string()
    .nullable()
    .describe('Secret that signs the events. Returned once, when it is created or rotated.'),
  secret_set: z
    .boolean()
    .describe(
      'Whether the webhook has a secret. After a loss of `SECRET_KEY` it has none, and nothing is sent until it is rotated.',
    ),
  former_until: Moment.nullable().describe(
    'Until then events are also signed with the former secret. Null without one.',
  ),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});

export const webhookFilters = {
  enabled: flagFilter.describe('Only webhooks with this value of `enabled`.'),
  state: State.optional().describe('Only webhooks in this state.'),
  site_id: idOf('site').optional().describe('Only webhooks that are limited to this site, among others.'),
};

const DeliveryState = z.enum(['waiting', 'delivered', 'dead', 'skipped']);

export const Delivery = z.strictObject({
  id: Id.describe('Identifier of the delivery. With the prefix `msg_` it is the header `webhook-id`.'),
  event: z.string().describe('Type of the event.'),
  object_id: z
    .string()
    .nullable()
    .describe('Identifier of the changed object. Null if many objects of the kind were changed at once.'),
  state: DeliveryState.describe(
    '`waiting`: for its first or next attempt; `delivered`; `dead`: the last attempt failed; `skipped`: the owner may not read the object.',
  ),
  attempts: z.int().describe('Number of attempts.'),
  status: z.int().nullable().describe('HTTP status of the last response. Null without a response.'),
  error: z
    .string()
    .nullable()
    .describe(
      'Reason why the last attempt got no response, such as `timeout`, `tls` or `secret_lost`. Otherwise null.',
    ),
  occurred_at: Moment.describe('When the object was changed.'),
  last_attempt_at: Moment.nullable().describe('Time of the last attempt. Null before the first.'),
  due_at: Moment.nullable().describe('Time of the next attempt. Null without one.'),
  duration_ms: z
    .int()
    .nullable()
    .describe('Duration of the last attempt in milliseconds. Null before the first.'),
  created_at: Moment.describe('When the event was queued.'),
});

export const DeliveryQuery = listQuery(
  ['created_at'],
  {
    state: DeliveryState.optional().describe('Only deliveries in this state.'),
    event: z
      .enum([...eventTypes, testEvent])
      .optional()
      .describe('Only deliveries of events of this type.'),
  },
  '-created_at',
);

export const Replayed = z.strictObject({
  count: z.int().describe('Number of deliveries that are sent again.'),
});

export const WebhookParams = z.object({ id: Id.describe('Identifier of the webhook.') });
export const DeliveryParams = WebhookParams.extend({
  delivery_id: Id.describe('Identifier of the delivery.'),
});
