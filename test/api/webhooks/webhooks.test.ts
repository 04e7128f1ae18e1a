import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { webhooks } from '../../../db/schema/webhooks/webhooks.ts';
import { eventTypes } from '../../../shared/webhooks/event-types.ts';
import {
  addMember,
  addSite,
  addWebhook,
  adminOf,
  audited,
  base,
  useWorld,
  webhookBody,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const path = `${base}/webhooks`;
const world = useWorld();
const admin = adminOf(world);
const all = ['webhooks.read', 'webhooks.create', 'webhooks.update', 'webhooks.delete'];

async function rowOf({ id }: Json) {
  const [row] = await world.portal.db.select().from(webhooks).where(eq(webhooks.id, id));
  if (!row) throw new Error('the webhook is gone');
  return row;
}

describe('webhooks', () => {
  it('have every property in their answers, with defaults', async () => {
    const body = webhookBody();
    const made = (await admin(`POST ${path}`, body)).body;
    expect(made).toEqual({
      ...body,
      id: made.id,
      sites: [],
      enabled: true,
      comments: '',
      ca_certificate: null,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      secret_set: true,
      former_until: null,
      state: 'active',
      reason: null,
      owner_id: expect.any(String),
      owner: expect.stringMatching(/^admin @ /),
      waiting: 0,
      dead: 0,
      dropped: 0,
      failing_since: null,
      last_success_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const read = (await admin(`GET ${path}/${made.id}`)).body;
    expect(read).toEqual({ ...made, secret: null });
    expect((await admin(`GET ${path}?search=${made.name}`)).body.items).toEqual([read]);
  });

  it('store the secret sealed, and audit it masked', async () => {
    const { result: made, events } = await audited(world.portal, () => addWebhook(admin));
    const { sealed_secret } = await rowOf(made);
    expect(sealed_secret).not.toContain(made.secret);
    expect(events).toHaveLength(1);
    expect(JSON.stringify(events)).not.toContain(made.secret.slice('whsec_'.length));
  });

  it.each([
    ['http://hooks.example.com/', 'address_not_allowed'],
    ['https://user:secret@hooks.example.com/', 'address_not_allowed'],
    ['https://hooks.example.com/#part', 'address_not_allowed'],
    ['https://10.0.0.8/', 'address_not_allowed'],
    ['https://169.254.169.254/latest/', 'address_not_allowed'],
    ['https://[::1]/', 'address_not_allowed'],
    ['https://[::ffff:10.0.0.8]/', 'address_not_allowed'],
  ])('cannot have the address %s', async (url, code) => {
    const answer = await admin(`POST ${path}`, webhookBody({ url }));
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toMatchObject([{ pointer: '/url', code }]);
  });

  it('can have a private address of WEBHOOK_NETWORKS', async () => {
    expect(await addWebhook(admin, { url: 'https://127.0.0.1:9443/hook' })).toMatchObject({
      state: 'active',
    });
  });

  it('need known events, at least one, and existing sites', async () => {
    for (const [member, value] of [
      ['events', []],
      ['events', ['site.seen']],
      ['events', ['audit.created']],
      ['sites', ['01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11']],
    ] as const) {
      const answer = await admin(`POST ${path}`, webhookBody({ [member]: value }));
      expect([answer.status, answer.body.errors[0].pointer]).toEqual([
        422,
        expect.stringContaining(`/${member}`),
      ]);
    }
    expect(eventTypes).toContain('monitoring.critical');
    const everything = await addWebhook(admin, { events: [...eventTypes] });
    expect(everything.events).toEqual([...eventTypes].sort());
  });

  it('keep a site from being deleted, and are named as the reason', async () => {
    const site = await addSite(admin);
    const webhook = await addWebhook(admin, { sites: [site.id] });
    const refused = await admin(`DELETE ${base}/sites/${site.id}`);
    expect(refused.status).toBe(409);
    expect(refused.body.references).toMatchObject([{ type: 'webhook', id: webhook.id }]);
    expect((await admin(`GET ${path}?site_id=${site.id}`)).body.items).toHaveLength(1);
  });

  it('are invisible without the permission for all sites', async () => {
    const made = await addWebhook(admin);
    const { ask } = await addMember(world, all, [world.site.id]);
    expect((await ask(`GET ${path}`)).body.items).toEqual([]);
    expect((await ask(`GET ${path}/${made.id}`)).status).toBe(404);
    expect((await ask(`GET ${path}/${made.id}/deliveries`)).status).toBe(403);
    expect((await ask(`POST ${path}`, webhookBody())).status).toBe(403);
    expect((await ask(`POST ${path}/${made.id}/take_over`)).status).toBe(403);
  });
});

describe('the owner of a webhook', () => {
  it('is the only account that changes what is sent and where to', async () => {
    const made = await addWebhook(admin);
    const { ask, user } = await addMember(world, all);
    const at = `${path}/${made.id}`;
    for (const change of [{ url: 'https://other.example.com/' }, { events: ['site.deleted'] }]) {
      const refused = await ask(`PATCH ${at}`, change);
      expect([refused.status, refused.body.reason]).toEqual([409, 'not_owner']);
    }
    expect((await ask(`POST ${at}/rotate_secret`)).body.reason).toBe('not_owner');
    expect((await ask(`PATCH ${at}`, { enabled: false, comments: 'off' })).body.state).toBe('disabled');
    const { result: taken, events } = await audited(world.portal, () => ask(`POST ${at}/take_over`));
    expect([taken.status, taken.body.owner_id]).toEqual([200, user.id]);
    expect((await ask(`POST ${at}/take_over`)).body.reason).toBe('own');
    expect((await ask(`PATCH ${at}`, { events: ['site.deleted'] })).body.events).toEqual(['site.deleted']);
    expect(events.flatMap(({ changes }) => changes)).toEqual([
      { field: 'owner_id', before: made.owner_id, after: user.id },
    ]);
  });

  it('that is disabled pauses the webhook, and that is deleted as well', async () => {
    const { ask, user } = await addMember(world, all);
    const made = await addWebhook(ask);
    const at = `${base}/authenticators/${world.domain.id}/users/${user.id}`;
    await admin(`PATCH ${at}`, { state: 'inactive' });
    const stateOf = async () => {
      const { state, reason } = (await admin(`GET ${path}/${made.id}`)).body;
      return [state, reason];
    };
    expect(await stateOf()).toEqual(['paused', 'owner_disabled']);
    await admin(`PATCH ${at}`, { state: 'active' });
    expect(await stateOf()).toEqual(['active', null]);
    expect((await admin(`DELETE ${at}`)).status).toBe(204);
    expect(await stateOf()).toEqual(['paused', 'owner_deleted']);
    await admin(`POST ${path}/${made.id}/take_over`);
    expect(await stateOf()).toEqual(['active', null]);
  });
});

describe('the secret of a webhook', () => {
  it('is replaced, and the webhook taken over, only in the version that the caller has read', async () => {
    const made = await addWebhook(admin);
    const at = `${path}/${made.id}`;
    const etag = (await admin(`GET ${at}`)).headers.get('etag') ?? '';
    await admin(`PATCH ${at}`, { comments: 'changed meanwhile' });
    for (const verb of ['rotate_secret', 'take_over'])
      expect((await admin(`POST ${at}/${verb}`, undefined, { 'if-match': etag })).body.code).toBe(
        'precondition_failed',
      );
    const current = (await admin(`GET ${at}`)).headers.get('etag') ?? '';
    expect((await admin(`POST ${at}/rotate_secret`, undefined, { 'if-match': current })).status).toBe(200);
  });

  it('is replaced, and the former one stays valid for a day', async () => {
    const made = await addWebhook(admin);
    const tried = await admin(`POST ${path}/${made.id}/rotate_secret`, undefined, { 'x-dry-run': 'true' });
    expect(tried.status).toBe(200);
    const rotated = (await admin(`POST ${path}/${made.id}/rotate_secret`)).body;
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(rotated.secret).not.toBe(made.secret);
    const leftH = (new Date(rotated.former_until).getTime() - Date.now()) / 3_600_000;
    expect(leftH).toBeGreaterThan(23);
    expect(leftH).toBeLessThanOrEqual(24);
    const { sealed_former_secret } = await rowOf(made);
    expect(sealed_former_secret).not.toBeNull();
  });
});

describe('deliveries', () => {
  it('are listed with a test event, and replayed only when finished', async () => {
    const made = await addWebhook(admin);
    const at = `${path}/${made.id}`;
    const sent = await admin(`POST ${at}/test`);
    expect([sent.status, sent.body]).toEqual([
      202,
      expect.objectContaining({ event: 'webhook.test', state: 'waiting', attempts: 0, object_id: made.id }),
    ]);
    expect((await admin(`GET ${at}/deliveries?state=waiting`)).body.items).toEqual([sent.body]);
    expect((await admin(`GET ${at}/deliveries?state=dead`)).body.items).toEqual([]);
    expect((await admin(`GET ${at}`)).body.waiting).toBe(1);
    const early = await admin(`POST ${at}/deliveries/${sent.body.id}/replay`);
    expect([early.status, early.body.reason]).toEqual([409, 'waiting']);
    expect((await admin(`POST ${at}/replay`)).body).toEqual({ count: 0 });
    const other = await addWebhook(admin);
    expect((await admin(`POST ${path}/${other.id}/deliveries/${sent.body.id}/replay`)).status).toBe(404);
    await admin(`PATCH ${at}`, { enabled: false });
    expect((await admin(`POST ${at}/test`)).body.reason).toBe('disabled');
  });
});
