import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChangesForEvents } from '../../../db/repositories/webhooks/fan-out.ts';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { eventMarks, webhookDeliveries } from '../../../db/schema/webhooks/deliveries.ts';
import { webhooks } from '../../../db/schema/webhooks/webhooks.ts';
import { mostAttempts } from '../../../shared/webhooks/delays.ts';
import {
  addFarm,
  addMonitoringRecord,
  addSite,
  addTag,
  adminOf,
  base,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';
import type { Received } from '../../support/webhooks/receiver.ts';
import { type WebhookStand, webhookStand } from '../../support/webhooks/stand.ts';

const world = useWorld();
const admin = adminOf(world);
let stand: WebhookStand;
beforeAll(() => {
  stand = webhookStand(world);
});
afterAll(() => stand.close());

const journalOf = ({ id }: Json) =>
  world.portal.db
    .select()
    .from(monitoringRecords)
    .where(eq(monitoringRecords.object_id, id))
    .orderBy(monitoringRecords.created_at, monitoringRecords.id);
const inSeconds = (time: string): number => (new Date(time).getTime() - Date.now()) / 1_000;
const typesOf = (received: readonly Received[]): string[] =>
  received.map(({ body }) => JSON.parse(body).type);

describe('an event', () => {
  it('names a created, changed and deleted object, and is accepted by the published verifier', async () => {
    const events = ['site.created', 'site.updated', 'site.deleted'];
    const { receiver, webhook } = await stand.add({ events });
    const site = await addSite(admin, { comments: 'a secret of the site' });
    await stand.pass();
    await admin(`PATCH ${base}/sites/${site.id}`, { comments: 'another secret of the site' });
    await stand.pass();
    await admin(`DELETE ${base}/sites/${site.id}`);
    await stand.pass();
    expect(receiver.verified(webhook.secret)).toEqual(
      events.map((type) => ({
        type,
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        data: { kind: 'site', id: site.id, sites: [site.id] },
      })),
    );
    const [first] = receiver.received;
    expect(first?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(first?.headers['webhook-id']).toMatch(/^msg_[0-9a-f-]{36}$/);
    expect(() => receiver.verified(`whsec_${Buffer.alloc(32).toString('base64')}`)).toThrow();
    expect(await stand.deliveries(webhook)).toMatchObject(
      events
        .toReversed()
        .map((event) => ({ event, state: 'delivered', attempts: 1, status: 204, error: null })),
    );
    expect(await stand.read(webhook)).toMatchObject({ waiting: 0, dead: 0, failing_since: null });
  });

  it('is sent to the address with its query, which no delivery shows', async () => {
    const { receiver, webhook } = await stand.add({ events: ['tag.created'] });
    const url = `${receiver.url}/1111@2222?sp=%2Frun&sig=a-B_c%3D`;
    expect((await admin(`PATCH ${base}/webhooks/${webhook.id}`, { url })).status).toBe(200);
    await addTag(admin);
    await stand.pass();
    receiver.reaction = 'close';
    await addTag(admin);
    await stand.pass();
    expect(receiver.received.map(({ path }) => path)).toEqual([
      ...['/hook/1111@2222?sp=%2Frun&sig=a-B_c%3D', '/hook/1111@2222?sp=%2Frun&sig=a-B_c%3D'],
    ]);
    const deliveries = await stand.deliveries(webhook);
    expect(deliveries.map(({ state }) => state)).toEqual(['waiting', 'delivered']);
    const shown = [deliveries, await stand.read(webhook), await journalOf(webhook), world.portal.log];
    expect(JSON.stringify(shown)).not.toContain('a-B_c');
    await admin(`DELETE ${base}/webhooks/${webhook.id}`);
  });

  it('is signed with both secrets for a day after a rotation', async () => {
    const { receiver, webhook } = await stand.add({ events: ['tag.created'] });
    const { secret } = (await admin(`POST ${base}/webhooks/${webhook.id}/rotate_secret`)).body;
    await addTag(admin);
    await stand.pass();
    expect(receiver.verified(webhook.secret)).toHaveLength(1);
    expect(receiver.verified(secret)).toHaveLength(1);
    await world.portal.db
      .update(webhooks)
      .set({ former_until: sql`now() - interval '1 second'` })
      .where(eq(webhooks.id, webhook.id));
    await addTag(admin);
    await stand.pass();
    expect(receiver.verified(secret)).toHaveLength(2);
    expect(() => receiver.verified(webhook.secret)).toThrow();
  });

  it('is sent only to webhooks with its type, its site, and an earlier beginning', async () => {
    const [north, south] = [await addSite(admin), await addSite(admin)];
    const ofNorth = await stand.add({ events: ['farm.created', 'tag.created'], sites: [north.id] });
    const ofTags = await stand.add({ events: ['tag.created'] });
    const off = await stand.add({ events: ['farm.created'], enabled: false });
    const farm = await addFarm(admin, north);
    await addFarm(admin, south);
    await addTag(admin);
    await stand.queue();
    await admin(`PATCH ${base}/webhooks/${off.webhook.id}`, { enabled: true });
    await stand.pass();
    expect(typesOf(ofNorth.receiver.received).sort()).toEqual(['farm.created', 'tag.created']);
    expect(ofNorth.receiver.received.some(({ body }) => body.includes(farm.id))).toBe(true);
    expect(typesOf(ofTags.receiver.received)).toEqual(['tag.created']);
    expect(off.receiver.received).toEqual([]);
  });

  it('of the monitoring journal has the severity of the record', async () => {
    const { receiver } = await stand.add({ events: ['monitoring.critical', 'monitoring.error'] });
    for (const level of ['info', 'warning', 'critical']) await addMonitoringRecord(admin, { level });
    await stand.pass();
    expect(typesOf(receiver.received)).toEqual(['monitoring.critical']);
  });

  it('is queued although the database was restored from a backup', async () => {
    const { receiver } = await stand.add({ events: ['tag.created'] });
    const { sidecarDb } = world.portal;
    const isDue = async () => {
      const [row] = await sidecarDb.select({ isDue: hasChangesForEvents }).from(sql`(values (1)) as once`);
      return row?.isDue;
    };
    await stand.queue();
    expect(await isDue()).toBe(false);
    await sidecarDb.update(eventMarks).set({ xid: sql`'9000000000000000000'::xid8` });
    expect(await isDue()).toBe(true);
    await stand.queue();
    await addTag(admin);
    await stand.pass();
    expect(receiver.received).toHaveLength(1);
  });

  it('is lost while too many are waiting, which is counted, and noted once', async () => {
    const events = ['tag.created', 'monitoring.error'];
    const { webhook } = await stand.add({ events });
    await world.portal.db.execute(sql`
      insert into ${webhookDeliveries} (id, webhook_id, event, kind, occurred_at)
      select gen_random_uuid(), ${webhook.id}, 'tag.created', 'tag', now() from generate_series(1, 10000)`);
    for (let n = 0; n < 2; n++) {
      await addTag(admin);
      await stand.queue();
    }
    // The entry in the monitoring journal is an event as well.
    await stand.queue();
    await stand.queue();
    expect(await stand.read(webhook)).toMatchObject({ waiting: 10_000, dropped: 3 });
    expect(await journalOf(webhook)).toMatchObject([{ code: 'webhook_events_lost', level: 'error' }]);
    await admin(`DELETE ${base}/webhooks/${webhook.id}`);
  });

  it('is queued once while an update of the object waits for its first attempt', async () => {
    const site = await addSite(admin);
    const { webhook } = await stand.add({ events: ['site.updated'] });
    for (const comments of ['one', 'two', 'three']) {
      await admin(`PATCH ${base}/sites/${site.id}`, { comments });
      await stand.queue();
    }
    expect(await stand.deliveries(webhook)).toHaveLength(1);
    await stand.deliver();
    await admin(`PATCH ${base}/sites/${site.id}`, { comments: 'four' });
    await stand.pass();
    expect(await stand.deliveries(webhook)).toHaveLength(2);
  });
});

describe('a delivery that fails', () => {
  it('is repeated after growing pauses, is dead after the last one, and is sent again on request', async () => {
    const { receiver, webhook } = await stand.add({ events: ['tag.created'] }, { reaction: { status: 500 } });
    await addTag(admin);
    const pauses: number[] = [];
    await stand.queue();
    for (let n = 1; n <= mostAttempts; n++) {
      await stand.deliver();
      const [delivery] = await stand.deliveries(webhook);
      expect(delivery).toMatchObject({
        attempts: n,
        status: 500,
        state: n < mostAttempts ? 'waiting' : 'dead',
      });
      if (delivery.due_at) pauses.push(Math.round(inSeconds(delivery.due_at)));
      await stand.makeDue(webhook);
    }
    expect(pauses).toHaveLength(mostAttempts - 1);
    for (const [at, pause] of [5, 60, 300, 1_800, 7_200, 18_000, 28_800].entries())
      expect(Math.abs((pauses[at] ?? 0) - pause)).toBeLessThanOrEqual(2);
    expect(await stand.read(webhook)).toMatchObject({
      dead: 1,
      waiting: 0,
      failing_since: expect.any(String),
    });
    await stand.deliver();
    expect(receiver.received).toHaveLength(mostAttempts);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    receiver.reaction = { status: 200 };
    expect((await admin(`POST ${base}/webhooks/${webhook.id}/replay`)).body).toEqual({ count: 1 });
    await stand.deliver();
    expect(await stand.read(webhook)).toMatchObject({ dead: 0, failing_since: null });
    expect(receiver.verified(webhook.secret)).toHaveLength(mostAttempts + 1);
    const [delivered] = await stand.deliveries(webhook);
    expect(
      (await admin(`POST ${base}/webhooks/${webhook.id}/deliveries/${delivered.id}/replay`)).status,
    ).toBe(202);
    await stand.deliver();
    expect(receiver.received).toHaveLength(mostAttempts + 2);
  });

  it.each([
    [429, '120', 120],
    [503, '120', 120],
    [503, '999999', 3_600],
    [429, 'soon', 5],
    [500, '120', 5],
  ])('with %s and Retry-After %s is repeated after %s seconds', async (status, asked, pause) => {
    const reaction = { status, headers: { 'retry-after': asked } };
    const { webhook } = await stand.add({ events: ['tag.created'] }, { reaction });
    await addTag(admin);
    await stand.pass();
    const [delivery] = await stand.deliveries(webhook);
    expect(delivery).toMatchObject({ state: 'waiting', status });
    expect(Math.abs(inSeconds(delivery.due_at) - pause)).toBeLessThan(3);
  });

  it('with 410 disables the webhook, in its history and in the monitoring journal', async () => {
    const { receiver, webhook } = await stand.add({ events: ['tag.created'] }, { reaction: { status: 410 } });
    await addTag(admin);
    await stand.pass();
    expect(await stand.read(webhook)).toMatchObject({
      enabled: false,
      state: 'disabled',
      reason: 'gone',
      dead: 1,
    });
    expect(await journalOf(webhook)).toMatchObject([
      { code: 'webhook_failing', level: 'warning' },
      { code: 'webhook_disabled', level: 'error' },
    ]);
    const history = (await admin(`GET ${base}/webhooks/${webhook.id}/history`)).body.items;
    expect(history[0]).toMatchObject({ changes: [{ field: 'enabled', before: true, after: false }] });
    await addTag(admin);
    await stand.pass();
    expect(receiver.received).toHaveLength(1);
    await admin(`PATCH ${base}/webhooks/${webhook.id}`, { enabled: true });
    expect(await stand.read(webhook)).toMatchObject({ state: 'active', reason: null });
  });

  it('for five days disables the webhook', async () => {
    const { webhook } = await stand.add({ events: ['tag.created'] }, { reaction: { status: 500 } });
    await world.portal.db
      .update(webhooks)
      .set({ failing_since: sql`now() - interval '121 hours'` })
      .where(eq(webhooks.id, webhook.id));
    await addTag(admin);
    await stand.pass();
    expect(await stand.read(webhook)).toMatchObject({ state: 'disabled', reason: 'failing' });
  });

  it('is in the monitoring journal once until the next success, which is there as well', async () => {
    const { receiver, webhook } = await stand.add({ events: ['tag.created'] }, { reaction: { status: 500 } });
    const journal = async () => (await journalOf(webhook)).map(({ code, level }) => [code, level]);
    for (let n = 0; n < 3; n++) await addTag(admin);
    await stand.pass();
    await stand.makeDue(webhook);
    await stand.deliver();
    expect(receiver.received).toHaveLength(6);
    expect(await journal()).toEqual([['webhook_failing', 'warning']]);
    receiver.reaction = { status: 204 };
    await stand.makeDue(webhook);
    await stand.deliver();
    const pair = [
      ['webhook_failing', 'warning'],
      ['webhook_delivers', 'info'],
    ];
    expect(await journal()).toEqual(pair);
    await receiver.close();
    await addTag(admin);
    await stand.pass();
    expect(await journal()).toEqual([...pair, ['webhook_failing', 'warning']]);
    expect((await journalOf(webhook)).at(-1)?.details).toEqual({ status: null, error: expect.any(String) });
  });

  it('keeps no content of the response', async () => {
    const reaction = { status: 500, body: 'the content of a response' };
    const { webhook } = await stand.add({ events: ['tag.created'] }, { reaction });
    await addTag(admin);
    await stand.pass();
    const rows = await world.portal.db
      .select()
      .from(webhookDeliveries)
      .where(eq(webhookDeliveries.webhook_id, webhook.id));
    expect(JSON.stringify(rows)).not.toContain('the content');
  });
});
