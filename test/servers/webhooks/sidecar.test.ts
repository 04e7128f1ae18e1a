import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { webhookDeliveries } from '../../../db/schema/webhooks/deliveries.ts';
import { addTag, addWebhook, base, startWorld, type World } from '../../support/factories.ts';
import { expireLease } from '../../support/processes/leader.ts';
import { type Sidecar, secretKey, startSidecar } from '../../support/processes/sidecar-process.ts';
import { type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';

// Two processes start one after the other.
vi.setConfig({ testTimeout: 90_000 });

let world: World;
let folder: string;
const sidecars: Sidecar[] = [];
const receivers: Receiver[] = [];

beforeAll(async () => {
  world = await startWorld({ secretKeys: [secretKey] });
  folder = await mkdtemp(join(tmpdir(), 'webhooks-'));
});
afterEach(async () => {
  await Promise.all(sidecars.splice(0).map((sidecar) => sidecar.kill()));
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});
afterAll(async () => {
  await world.portal.close();
  await rm(folder, { recursive: true, force: true });
});

async function start(): Promise<Sidecar> {
  const { sidecarUrl: databaseUrl } = world.portal.database;
  const sidecar = await startSidecar({ databaseUrl, folder }, { WEBHOOK_NETWORKS: '127.0.0.0/8' });
  sidecars.push(sidecar);
  return sidecar;
}

async function addReceiver() {
  const receiver = await startReceiver();
  receivers.push(receiver);
  const webhook = await addWebhook(world.admin, {
    url: receiver.url,
    ca_certificate: receiver.caPem,
    events: ['tag.created'],
  });
  return { receiver, webhook };
}

it('a sidecar delivers what was changed before and after its start', async () => {
  const { receiver, webhook } = await addReceiver();
  const before = await addTag(world.admin);
  await start();
  await receiver.arrived(1);
  const after = await addTag(world.admin);
  await receiver.arrived(2);
  const ids = receiver.verified(webhook.secret).map(({ data }) => data.id);
  expect(ids).toEqual([before.id, after.id]);
});

it.each([
  ['stopped', (sidecar: Sidecar): Promise<unknown> => sidecar.stop()],
  ['killed', (sidecar: Sidecar): Promise<unknown> => sidecar.kill()],
] as const)('an event reaches the receiver although the sidecar is %s during the attempt', async (_, end) => {
  const { receiver, webhook } = await addReceiver();
  receiver.reaction = 'hang';
  const sidecar = await start();
  const tag = await addTag(world.admin);
  await receiver.arrived(1);
  await end(sidecar);
  receiver.reaction = { status: 204 };
  // As if the time of the lease and of the claim had passed.
  await expireLease(world.portal.ownerDb);
  await world.portal.sidecarDb.update(webhookDeliveries).set({ due_at: new Date() });
  await start();
  await receiver.arrived(2);
  const [first, second] = receiver.verified(webhook.secret);
  expect([first?.data.id, second?.data.id]).toEqual([tag.id, tag.id]);
  expect(receiver.received[0]?.headers['webhook-id']).toBe(receiver.received[1]?.headers['webhook-id']);
  const deliveries = async () =>
    (await world.admin(`GET ${base}/webhooks/${webhook.id}/deliveries`)).body.items;
  await expect.poll(deliveries, { timeout: 10_000 }).toMatchObject([{ state: 'delivered' }]);
});
