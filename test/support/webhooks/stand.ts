import { eq, sql } from 'drizzle-orm';
import { webhookDeliveries } from '../../../db/schema/webhooks/deliveries.ts';
import { webhookTask } from '../../../functions/health/jobs/webhooks/delivery.ts';
import { eventTask } from '../../../functions/health/jobs/webhooks/fan-out.ts';
import { createNodeTransport } from '../../../shared/remotes/http/node.ts';
import type { Lookup } from '../../../shared/remotes/tls/node.ts';
import { type Ask, addWebhook, base, type World } from '../factories.ts';
import { allReadable } from '../http/changes.ts';
import type { Json } from '../portal.ts';
import { type Reaction, type Receiver, startReceiver } from './receiver.ts';

const never = new AbortController().signal;

export type WebhookStand = {
  /** A receiver, and a webhook that sends to it. */
  add(
    given?: Record<string, unknown>,
    options?: { reaction?: Reaction; ask?: Ask },
  ): Promise<{ receiver: Receiver; webhook: Json }>;
  /** Queues the events of all changes. */
  queue(): Promise<void>;
  /** Delivers what is due, until nothing is. */
  deliver(signal?: AbortSignal): Promise<void>;
  /** Queues and delivers. */
  pass(): Promise<void>;
  /** Makes all waiting deliveries of a webhook due. */
  makeDue(webhook: Json): Promise<void>;
  deliveries(webhook: Json): Promise<Json[]>;
  read(webhook: Json): Promise<Json>;
  results: string[];
  close(): Promise<void>;
};

/** The tasks of the sidecar on the database of a world, with its role, and real receivers. */
export function webhookStand({ portal, admin }: World, given: { lookup?: Lookup } = {}): WebhookStand {
  const receivers: Receiver[] = [];
  const results: string[] = [];
  const transport = createNodeTransport({
    allowedNetworks: ['127.0.0.0/8'],
    allowInsecure: false,
    ...given,
  });
  const { sealer, log } = portal.deps;
  const db = portal.sidecarDb;
  const clock = () => new Date();
  const telemetry = { count: (_: string, [result = '']: readonly string[]) => void results.push(result) };
  const events = eventTask({ db, clock, mails: () => true });
  const webhooks = webhookTask({ db, clock, sealer, transport, log, telemetry, random: () => 0.5 });
  const stand: WebhookStand = {
    results,
    add: async (body = {}, { reaction, ask = admin } = {}) => {
      const receiver = await startReceiver(reaction);
      receivers.push(receiver);
      const webhook = await addWebhook(ask, { url: receiver.url, ca_certificate: receiver.caPem, ...body });
      return { receiver, webhook };
    },
    queue: async () => {
      await allReadable(portal.db);
      await events.round(never);
    },
    deliver: (signal = never) => webhooks.round(signal),
    pass: async () => {
      await stand.queue();
      await stand.deliver();
    },
    makeDue: async ({ id }) => {
      await db
        .update(webhookDeliveries)
        .set({ due_at: sql`now()` })
        .where(eq(webhookDeliveries.webhook_id, id));
    },
    deliveries: async ({ id }) => (await admin(`GET ${base}/webhooks/${id}/deliveries`)).body.items,
    read: async ({ id }) => (await admin(`GET ${base}/webhooks/${id}`)).body,
    close: async () => {
      await transport.close();
      await Promise.all(receivers.map((receiver) => receiver.close()));
    },
  };
  return stand;
}
