import type { LookupAddress } from 'node:dns';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Lookup } from '../../../shared/remotes/tls/node.ts';
import {
  addMember,
  addRole,
  addSite,
  addTag,
  addWebhook,
  adminOf,
  base,
  useWorld,
} from '../../support/factories.ts';
import { type WebhookStand, webhookStand } from '../../support/webhooks/stand.ts';

// The time limit of an attempt is ten seconds.
vi.setConfig({ testTimeout: 60_000 });

const world = useWorld();
const admin = adminOf(world);
let stand: WebhookStand;
beforeAll(() => {
  stand = webhookStand(world, { lookup });
});
afterAll(() => stand.close());

/** `rebinding.example` has a public address when it is first looked up, and a private one later. */
const lookups: string[] = [];
const lookup: Lookup = (name, _options, callback) => {
  lookups.push(name);
  const address = name === 'localhost' ? '127.0.0.1' : lookups.length > 1 ? '10.0.0.8' : '192.0.2.9';
  callback(null, [{ address, family: 4 }] satisfies LookupAddress[]);
};

describe('a receiver', () => {
  it('that hangs delays no other, and its attempt ends after ten seconds', async () => {
    const slow = await stand.add({ events: ['tag.created'] }, { reaction: 'hang' });
    const quick = await stand.add({ events: ['tag.created'] });
    for (let n = 0; n < 6; n++) await addTag(admin);
    await stand.queue();
    const startedAt = performance.now();
    const round = stand.deliver();
    await quick.receiver.arrived(6);
    expect(performance.now() - startedAt).toBeLessThan(8_000);
    // Events that arrive during the round are delivered in it.
    await addTag(admin);
    await stand.queue();
    await quick.receiver.arrived(7);
    expect(slow.receiver.received.length).toBeLessThanOrEqual(4);
    await slow.receiver.close();
    await round;
    expect((await stand.deliveries(slow.webhook)).every(({ state }) => state === 'waiting')).toBe(true);
    await admin(`DELETE ${base}/webhooks/${slow.webhook.id}`);
  });

  it('without an answer has a time limit', async () => {
    const { webhook } = await stand.add({ events: ['tag.created'] }, { reaction: 'hang' });
    await addTag(admin);
    await stand.pass();
    const [delivery] = await stand.deliveries(webhook);
    expect(delivery).toMatchObject({ state: 'waiting', status: null, error: 'timeout' });
    expect(delivery.duration_ms).toBeGreaterThan(9_000);
    expect(delivery.duration_ms).toBeLessThan(20_000);
    await admin(`DELETE ${base}/webhooks/${webhook.id}`);
  });

  it('that redirects is not followed', async () => {
    const target = await stand.add({ events: ['site.created'] });
    const reaction = { status: 307, headers: { location: target.receiver.url } };
    const { webhook } = await stand.add({ events: ['tag.created'] }, { reaction });
    await addTag(admin);
    await stand.pass();
    expect((await stand.deliveries(webhook))[0]).toMatchObject({ state: 'waiting', error: 'redirect' });
    expect(target.receiver.received).toEqual([]);
  });

  it.each([
    ['that closes the connection', 'close', 'unreachable'],
    ['with a large response', { status: 200, body: 'x'.repeat(70_000) }, 'too_large'],
  ] as const)('%s has failed', async (_, reaction, error) => {
    const { webhook } = await stand.add({ events: ['tag.created'] }, { reaction });
    await addTag(admin);
    await stand.pass();
    expect((await stand.deliveries(webhook))[0]).toMatchObject({ state: 'waiting', status: null, error });
  });

  it('with an unknown certificate gets no event', async () => {
    const { receiver, webhook } = await stand.add({ events: ['tag.created'], ca_certificate: null });
    await addTag(admin);
    await stand.pass();
    expect((await stand.deliveries(webhook))[0]).toMatchObject({ state: 'waiting', error: 'unknown_ca' });
    expect(receiver.received).toEqual([]);
  });

  it('whose name leads to a private address gets no event, whatever the name led to before', async () => {
    lookups.length = 0;
    const webhook = await addWebhook(admin, { url: 'https://rebinding.example/', events: ['tag.created'] });
    lookups.push('the lookup of a check');
    await addTag(admin);
    await stand.pass();
    expect(lookups).toContain('rebinding.example');
    expect((await stand.deliveries(webhook))[0]).toMatchObject({
      error: 'address_not_allowed',
      status: null,
    });
    await admin(`DELETE ${base}/webhooks/${webhook.id}`);
  });

  it('gets a test event', async () => {
    const { receiver, webhook } = await stand.add({ events: ['site.created'] });
    await admin(`POST ${base}/webhooks/${webhook.id}/test`);
    await stand.deliver();
    expect(receiver.verified(webhook.secret)).toMatchObject([
      { type: 'webhook.test', data: { kind: 'webhook', id: webhook.id } },
    ]);
  });
});

describe('the rights of the owner', () => {
  const ofHooks = ['webhooks.read', 'webhooks.create', 'webhooks.update'];

  it('decide at each delivery which sites are announced', async () => {
    const [north, south] = [await addSite(admin), await addSite(admin)];
    const reader = await addRole(admin, ['sites.read'], { scope: { sites: [north.id] } });
    const writer = await addRole(admin, ofHooks);
    const { ask, user } = await addMember(world, [], '*', { roles: [reader.id, writer.id] });
    const { receiver, webhook } = await stand.add({ events: ['site.updated', 'tag.created'] }, { ask });
    for (const { id } of [north, south]) await admin(`PATCH ${base}/sites/${id}`, { comments: 'changed' });
    await addTag(admin);
    await stand.pass();
    expect(receiver.verified(webhook.secret)).toMatchObject([{ data: { kind: 'site', id: north.id } }]);
    const states = (await stand.deliveries(webhook)).map(({ event, state }) => `${event} ${state}`);
    expect(states.sort()).toEqual(['site.updated delivered', 'site.updated skipped', 'tag.created skipped']);
    await admin(`PATCH ${base}/sites/${north.id}`, { comments: 'again' });
    await stand.queue();
    await admin(`PATCH ${base}/authenticators/${world.domain.id}/users/${user.id}`, { roles: [writer.id] });
    await stand.deliver();
    expect(receiver.received).toHaveLength(1);
  });

  it('end with the account: events wait while it is disabled', async () => {
    const { ask, user } = await addMember(world, [...ofHooks, 'tags.read']);
    const { receiver, webhook } = await stand.add({ events: ['tag.created'] }, { ask });
    const account = `${base}/authenticators/${world.domain.id}/users/${user.id}`;
    await admin(`PATCH ${account}`, { state: 'inactive' });
    await addTag(admin);
    await stand.pass();
    expect(receiver.received).toEqual([]);
    expect(await stand.read(webhook)).toMatchObject({
      state: 'paused',
      reason: 'owner_disabled',
      waiting: 1,
    });
    const journal = (await admin(`GET ${base}/monitoring?object_id=${webhook.id}`)).body.items;
    expect(journal).toMatchObject([{ code: 'webhook_paused', level: 'warning' }]);
    await admin(`PATCH ${account}`, { state: 'active' });
    await stand.deliver();
    expect(receiver.received).toHaveLength(1);
  });
});
