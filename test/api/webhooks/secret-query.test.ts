import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { webhooks } from '../../../db/schema/webhooks/webhooks.ts';
import {
  addMember,
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
const address = 'https://chat.googleapis.com/v1/spaces/AAA/messages';
const secret = 'token-of-the-receiver';
const shown = `${address}?…`;

const add = (url = `${address}?key=k&token=${secret}`) => addWebhook(admin, { url });
const place = (row: string) => ({ table: 'webhooks', row, column: 'sealed_query' });

async function queryOf({ id }: Json): Promise<string | null> {
  const [row] = await world.portal.db.select().from(webhooks).where(eq(webhooks.id, id));
  if (!row) throw new Error('the webhook is gone');
  return row.sealed_query === null ? null : world.portal.deps.sealer.open(row.sealed_query, place(id));
}

describe('the query of the address of a webhook', () => {
  it('is in no answer, row, event, history, stream, search or log, in any step of its life', async () => {
    const logged = world.portal.log.length;
    const { result, events } = await audited(world.portal, async () => {
      const dry = await admin(`POST ${path}`, webhookBody({ url: `${address}?token=${secret}` }), {
        'x-dry-run': 'true',
      });
      const made = await admin(`POST ${path}`, webhookBody({ url: `${address}?token=${secret}` }));
      const at = `${path}/${made.body.id}`;
      const answers = [
        dry,
        made,
        await admin(`PATCH ${at}`, { url: `${address}?token=${secret}-2` }),
        await admin(`PUT ${at}`, { ...made.body, url: `https://other.example.com/?token=${secret}` }),
        await admin(`GET ${at}`),
        await admin(`GET ${path}?search=other.example.com`),
        await admin(`GET ${path}?search=${secret}`),
        await admin(`POST ${at}/test`),
        await admin(`GET ${at}/deliveries`),
        await admin(`GET ${base}/search?text=other.example.com`),
        await admin(`GET ${base}/changes`),
        await admin(`GET ${at}/history`),
        await admin(`PATCH ${at}`, { url: `ftp://x/?token=${secret}` }),
        await admin(`POST ${at}/rotate_secret`),
        await admin(`DELETE ${at}`),
      ];
      return answers.map(({ status, body }) => ({ status, body }));
    });
    expect(result.map(({ status }) => status)).toEqual([
      ...[200, 201, 200, 200, 200, 200, 200, 202, 200, 200, 200, 200, 422, 200, 204],
    ]);
    expect(result[1]?.body.url).toBe(shown);
    expect(result[3]?.body.url).toBe('https://other.example.com?…');
    expect(result[5]?.body.items).toHaveLength(1);
    expect(result[6]?.body.items).toEqual([]);
    expect(events.length).toBeGreaterThan(4);
    const rows = await world.portal.db.select().from(webhooks);
    const log = world.portal.log.slice(logged);
    expect(JSON.stringify([result, events, rows, log])).not.toContain(secret);
  });

  it('is stored sealed, and kept by a write of what was read', async () => {
    const made = await add();
    expect(await queryOf(made)).toBe(`?key=k&token=${secret}`);
    const at = `${path}/${made.id}`;
    const { events } = await audited(world.portal, async () => {
      expect((await admin(`PUT ${at}`, { ...made, comments: 'one' })).status).toBe(200);
      expect((await admin(`PATCH ${at}`, { comments: 'two' })).body.url).toBe(shown);
      expect((await admin(`PATCH ${at}`, { url: shown, comments: 'three' })).body.url).toBe(shown);
      expect((await admin(`POST ${at}/rotate_secret`)).body.url).toBe(shown);
    });
    expect(await queryOf(made)).toBe(`?key=k&token=${secret}`);
    expect(events.flatMap(({ changes }) => changes.map(({ field }) => field))).not.toContain('url');
  });

  it('is replaced, which is audited without its value, and removed', async () => {
    const made = await add();
    const at = `${path}/${made.id}`;
    const { events } = await audited(world.portal, async () => {
      await admin(`PATCH ${at}`, { url: `${address}?key=k&token=${secret}` });
      await admin(`PATCH ${at}`, { url: `${address}?key=other` });
      await admin(`PATCH ${at}`, { url: address });
    });
    expect(events.map(({ changes }) => changes)).toEqual([
      [],
      [{ field: 'url', before: shown, after: shown }],
      [{ field: 'url', before: shown, after: address }],
    ]);
    expect(await queryOf(made)).toBeNull();
  });

  it('is sent again when the address changes, so that no other receiver gets it', async () => {
    const made = await add();
    const elsewhere = { url: 'https://evil.example.com/messages?…' };
    for (const [request, body] of [
      [`PATCH ${path}/${made.id}`, elsewhere],
      [`PUT ${path}/${made.id}`, { ...made, ...elsewhere }],
      [`POST ${path}`, webhookBody(elsewhere)],
    ] as const) {
      const { status, body: refused } = await admin(request, body);
      expect([status, refused.errors]).toMatchObject([422, [{ pointer: '/url', code: 'required' }]]);
    }
    const plain = await add(address);
    const { status } = await admin(`PATCH ${path}/${plain.id}`, { url: shown });
    expect([status, await queryOf(plain)]).toEqual([422, null]);
  });

  it('stays the present one when a version with the same address is restored', async () => {
    const made = await add();
    const at = `${path}/${made.id}`;
    await admin(`PATCH ${at}`, { url: `${address}?key=other`, comments: 'second' });
    const [{ version }] = (await admin(`GET ${at}/history`)).body.items.slice(-1);
    const restore = () => admin(`POST ${at}/restore`, { version });
    const restored = (await restore()).body;
    expect([restored.url, restored.comments, await queryOf(made)]).toEqual([shown, '', '?key=other']);
    await admin(`PATCH ${at}`, { url: 'https://other.example.com/' });
    expect((await restore()).body.errors).toMatchObject([{ pointer: '/url', code: 'required' }]);
  });

  it('is replaced only by the owner', async () => {
    const made = await add();
    const { ask } = await addMember(world, ['webhooks.read', 'webhooks.update']);
    const change = (url: string) => ask(`PATCH ${path}/${made.id}`, { url, comments: 'mine' });
    expect((await change(`${address}?key=other`)).body.reason).toBe('not_owner');
    expect((await change(shown)).status).toBe(200);
    expect(await queryOf(made)).toBe(`?key=k&token=${secret}`);
  });
});

it('a webhook in an older spelling of its address is changed by others without a change of the address', async () => {
  const made = await add(address);
  await world.portal.db
    .update(webhooks)
    .set({ url: 'https://Chat.googleapis.com:443/v1/spaces/AAA/messages' })
    .where(eq(webhooks.id, made.id));
  const { ask } = await addMember(world, ['webhooks.read', 'webhooks.update']);
  const { status, body } = await ask(`PATCH ${path}/${made.id}`, { comments: 'noted' });
  expect([status, body.url]).toEqual([200, address]);
});
