import { count, eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { images } from '../../../db/schema/settings/images.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import {
  addMember,
  addRule,
  addSite,
  adminOf,
  audited,
  base,
  ruleBody,
  rulesPath,
  useWorld,
} from '../../support/factories.ts';
import { dataUri, png, svg, webp } from '../../support/pictures.ts';
import { type Json, startPortal } from '../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);

const service = (id: string) => `${base}/gallery/images/srvimg/${id}`;
const protocol = (id: string) => `${base}/gallery/images/transicon/${id}`;
const own = (id: string) => `/api/userinfo/images/${id}`;

let width = 0;
/** An image that no other test uses. */
const picture = (): Buffer => png(++width, 1);
const withPicture = (bytes = picture(), given: Json = {}): Promise<Json> =>
  addRule(admin, world.site, { image: dataUri('png', bytes), ...given });
const isKept = async (id: string): Promise<boolean> => {
  const rows = await world.portal.db.select({ n: count() }).from(images).where(eq(images.id, id));
  return rows[0]?.n === 1;
};
const patch = ({ id }: Json, body: Json) => admin(`PATCH ${rulesPath}/${id}`, body);

describe('the image of a rule', () => {
  it.each([
    ['image/png', picture()],
    ['image/webp', webp(3, 3)],
    ['image/svg+xml', Buffer.from(svg())],
  ])('of %s is served unchanged, with caching and without script execution', async (type, bytes) => {
    const { image_id: id } = await addRule(admin, world.site, {
      image: `data:${type};base64,${bytes.toString('base64')}`,
    });
    for (const path of [service(id), protocol(id), own(id), own(id.toUpperCase())]) {
      const { status, headers, body } = await admin(`GET ${path}`);
      expect([status, headers.get('content-type'), bytes.equals(body)]).toEqual([200, type, true]);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('private, max-age=3600');
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      );
      const etag = headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[\w-]{43}"$/);
      const again = await admin(`GET ${path}`, undefined, { 'if-none-match': etag });
      expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, '', etag]);
    }
  });

  it('is sanitised before it is stored', async () => {
    const dirty = svg('<script>alert(1)</script><path onclick="x" d="M0 0"/>');
    const { image_id: id } = await addRule(admin, world.site, { image: dataUri('svg+xml', dirty) });
    expect((await admin(`GET ${service(id)}`)).body.toString()).toBe(svg('<path d="M0 0"/>'));
  });

  it('is rejected in an unknown format, in POST, PUT and PATCH', async () => {
    const rule = await addRule(admin, world.site);
    const image = dataUri('png', '<html>');
    for (const answer of [
      await admin(`POST ${rulesPath}`, ruleBody(world.site, { image })),
      await admin(`PUT ${rulesPath}/${rule.id}`, { ...rule, image }),
      await patch(rule, { image }),
    ])
      expect([answer.status, answer.body.errors]).toMatchObject([
        422,
        [{ pointer: '/image', code: 'invalid_picture' }],
      ]);
  });

  it('is stored once, however many rules use it', async () => {
    const bytes = picture();
    const [first, second] = [await withPicture(bytes), await withPicture(bytes)];
    expect(second.image_id).toBe(first.image_id);
    const third = await addRule(admin, world.site, { image_id: first.image_id });
    expect(third.image_id).toBe(first.image_id);
  });

  it('is deleted with its last use: by another image, by null, or with the rule', async () => {
    const bytes = picture();
    const [a, b, c] = [await withPicture(bytes), await withPicture(bytes), await withPicture(bytes)];
    const { image_id: id } = a;
    const changed = (await patch(a, { image: dataUri('png', picture()) })).body;
    expect([changed.image_id === id, await isKept(id)]).toEqual([false, true]);
    expect((await patch(b, { image_id: null })).body.image_id).toBeNull();
    expect(await isKept(id)).toBe(true);
    expect((await admin(`DELETE ${rulesPath}/${c.id}`)).status).toBe(204);
    expect(await isKept(id)).toBe(false);
    await patch(a, { image_id: null });
    expect(await isKept(changed.image_id)).toBe(false);
  });

  it('stays through writes of other properties, and through a PUT of the result of GET', async () => {
    const rule = await withPicture();
    expect((await patch(rule, { comments: 'x', image: null })).body.image_id).toBe(rule.image_id);
    expect((await admin(`PUT ${rulesPath}/${rule.id}`, rule)).body.image_id).toBe(rule.image_id);
    const { image_id: _, ...without } = rule;
    expect((await admin(`PUT ${rulesPath}/${rule.id}`, without)).body.image_id).toBeNull();
    expect(await isKept(rule.image_id)).toBe(false);
  });

  it('must be a stored one: an unknown id is rejected', async () => {
    const { status, body } = await admin(`POST ${rulesPath}`, ruleBody(world.site, { image_id: newId() }));
    expect([status, body.errors]).toMatchObject([422, [{ pointer: '/image_id', code: 'not_found' }]]);
  });

  it('is represented in the audit by its digest', async () => {
    const rule = await withPicture();
    const bytes = picture();
    const image = dataUri('png', bytes);
    const { result, events } = await audited(world.portal, () => patch(rule, { image }));
    expect(result.status).toBe(200);
    const digest = expect.stringMatching(/^[\w-]{43}$/);
    expect(events).toMatchObject([
      { changes: [{ field: 'image', before: digest, after: digest }, { field: 'image_id' }] },
    ]);
    expect(JSON.stringify(events)).not.toContain(bytes.toString('base64'));
    const same = await audited(world.portal, () => patch(rule, { image }));
    expect(same.events).toMatchObject([{ changes: [] }]);
    const created = await audited(world.portal, () => withPicture());
    expect(created.events[0]?.changes).toContainEqual({ field: 'image', before: null, after: digest });
  });

  it('may be as large as 256 KiB, in a body of up to 2 MiB', async () => {
    const large = png(1, 1, 262_144 - png().length);
    expect((await withPicture(large)).image_id).toMatch(/-/);
    const beyond = await admin(`POST ${rulesPath}`, `{"image":"${'a'.repeat(2 * 1_048_576)}"}`);
    expect([beyond.status, beyond.body.limit_bytes]).toEqual([413, 2 * 1_048_576]);
  });

  it('is neither lost nor orphaned when uses are added and removed concurrently', async () => {
    for (let round = 0; round < 8; round++) {
      const bytes = picture();
      const [former, sharing] = [await withPicture(bytes), await withPicture(bytes)];
      const answers = await Promise.all([
        patch(former, { image_id: null }),
        admin(`DELETE ${rulesPath}/${sharing.id}`),
        admin(`POST ${rulesPath}`, ruleBody(world.site, { image: dataUri('png', bytes) })),
        admin(`POST ${rulesPath}`, ruleBody(world.site, { image_id: former.image_id })),
      ]);
      const [dropped, removed, taken, named] = answers;
      expect([dropped?.status, removed?.status, taken?.status]).toEqual([200, 204, 201]);
      // The image may be deleted before another write refers to its id.
      expect([201, 422]).toContain(named?.status);
      expect(await isKept(taken?.body.image_id)).toBe(true);
      const left = answers.slice(2).filter(({ status }) => status === 201);
      await Promise.all(left.map(({ body }) => admin(`DELETE ${rulesPath}/${body.id}`)));
      for (const { body } of [{ body: former }, ...left]) expect(await isKept(body.image_id)).toBe(false);
    }
  });

  it('can be swapped with another in one write', async () => {
    for (let round = 0; round < 8; round++) {
      const [a, b] = [await withPicture(), await withPicture()];
      const statuses = await Promise.all([
        patch(a, { image_id: b.image_id }),
        patch(b, { image_id: a.image_id }),
      ]);
      for (const { status, body } of statuses) expect([200, 422], JSON.stringify(body)).toContain(status);
      const shown = await Promise.all([a, b].map(({ id }) => admin(`GET ${rulesPath}/${id}`)));
      for (const { body } of shown) expect(await isKept(body.image_id)).toBe(true);
    }
  });
});

describe('built-in images', () => {
  it('are those of the protocols and the default one, which is used for every unknown service', async () => {
    const bodyOf = async (path: string) => (await admin(`GET ${path}`)).body.toString();
    const [rdp, spice, byDefault] = await Promise.all(
      ['rdp', 'spice', 'default'].map((id) => bodyOf(service(id))),
    );
    expect(new Set([rdp, spice, byDefault]).size).toBe(3);
    for (const text of [rdp, spice, byDefault])
      expect(text).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    for (const id of [newId(), 'nobody', '%00', 'constructor', 'x'.repeat(500)])
      for (const path of [service(id), own(id)]) expect(await bodyOf(path)).toBe(byDefault);
    expect(await bodyOf(protocol('rdp'))).toBe(rdp);
    expect(await bodyOf(own('spice'))).toBe(spice);
    for (const id of [newId(), 'nobody', 'default', 'constructor', '%00'])
      expect((await admin(`GET ${protocol(id)}`)).status, id).toBe(404);
  });

  it('and all others need a session, and on the user portal they are under the path of userinfo', async () => {
    const { ask } = await addMember(world, []);
    for (const path of [service('rdp'), protocol('rdp'), own('rdp')]) {
      expect((await ask(`GET ${path}`)).status).toBe(200);
      expect((await world.portal.send(`GET ${path}`)).status).toBe(401);
    }
    const userPortal = await startPortal({ portalType: 'user' });
    expect((await userPortal.send(`GET ${own('rdp')}`)).status).toBe(401);
    expect((await userPortal.send(`GET ${service('rdp')}`)).status).toBe(404);
    await userPortal.close();
  });
});

it('an image is deleted with the rules of a deleted site', async () => {
  const site = await addSite(admin);
  const rule = await addRule(admin, site, { image: dataUri('png', picture()) });
  expect((await admin(`DELETE ${base}/sites/${site.id}`)).body.references).toEqual([
    { type: 'rule', id: rule.id, name: rule.name },
  ]);
  await admin(`DELETE ${rulesPath}/${rule.id}`);
  expect(await isKept(rule.image_id)).toBe(false);
  expect((await admin(`DELETE ${base}/sites/${site.id}`)).status).toBe(204);
});
