import { eq, sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { images } from '../../../db/schema/settings/images.ts';
import { pictures } from '../../../db/schema/settings/pictures.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import {
  addMember,
  addPicture,
  addRule,
  addSite,
  adminOf,
  audited,
  base,
  picturesPath as path,
  pictureBody,
  rulesPath,
  unique,
  useWorld,
} from '../../support/factories.ts';
import { dataUri, png, svg, webp } from '../../support/pictures.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);
const all = ['pictures.read', 'pictures.create', 'pictures.update', 'pictures.delete'];
const bytesAt = (id: string) => admin(`GET ${path}/srvimg/${id}`);
const isStored = async (id: string): Promise<boolean> =>
  (await world.portal.db.select({ id: images.id }).from(images).where(eq(images.id, id))).length === 1;
const faultOf = async (image: string): Promise<Json> => {
  const { status, body } = await admin(`POST ${path}`, { name: unique('picture'), image });
  return [status, body.errors?.[0]?.pointer, body.errors?.[0]?.code];
};

describe('a picture of the gallery', () => {
  it('has every property in its answers, is listed and found by its name, and has its bytes', async () => {
    const bytes = png(31, 9);
    const body = { name: unique('Globe'), image: dataUri('png', bytes) };
    const { status, headers, body: made } = await admin(`POST ${path}`, body);
    expect([status, headers.get('location')]).toEqual([201, `${path}/${made.id}`]);
    expect(made).toEqual({
      id: made.id,
      name: body.name,
      media_type: 'image/png',
      bytes: bytes.length,
      rules_count: 0,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await admin(`GET ${path}/${made.id}`)).body).toEqual(made);
    expect((await admin(`GET ${path}?search=${body.name.toUpperCase()}`)).body.items).toEqual([made]);
    expect((await admin(`GET ${base}/search?text=${body.name}`)).body.items).toMatchObject([
      { type: 'picture', id: made.id },
    ]);
    expect(bytes.equals((await bytesAt(made.id)).body)).toBe(true);
  });

  it('is renamed; its bytes do not change', async () => {
    const sent = pictureBody();
    const made = await addPicture(admin, sent);
    const name = unique('renamed');
    expect((await admin(`PATCH ${path}/${made.id}`, { name })).body).toMatchObject({ name, id: made.id });
    for (const request of [`PATCH ${path}/${made.id}`, `PUT ${path}/${made.id}`]) {
      const { status, body } = await admin(request, { name, image: dataUri('png', png(3, 77)) });
      expect([status, body.errors?.[0]]).toMatchObject([422, { pointer: '/image', code: 'immutable' }]);
    }
    const put = await admin(`PUT ${path}/${made.id}`, { ...made, name, image: sent.image });
    expect([put.status, put.body.name]).toEqual([200, name]);
    const other = await addPicture(admin);
    const taken = await admin(`PATCH ${path}/${other.id}`, { name: name.toUpperCase() });
    expect([taken.status, taken.body.code, taken.body.existing_id]).toEqual([409, 'already_exists', made.id]);
  });

  it('stays without rules, unlike the picture that a rule brought', async () => {
    const made = await addPicture(admin);
    const rule = await addRule(admin, world.site, { image_id: made.id });
    expect((await admin(`GET ${path}/${made.id}`)).body.rules_count).toBe(1);
    expect((await admin(`DELETE ${rulesPath}/${rule.id}`)).status).toBe(204);
    expect(await isStored(made.id)).toBe(true);
    expect((await admin(`DELETE ${path}/${made.id}`)).status).toBe(204);
    expect([await isStored(made.id), (await admin(`GET ${path}/${made.id}`)).status]).toEqual([false, 404]);
  });

  it('is not deleted while a rule shows it, and the refusal names the rule', async () => {
    const made = await addPicture(admin);
    const { id, name } = await addRule(admin, world.site, { image_id: made.id });
    const { status, body } = await admin(`DELETE ${path}/${made.id}`);
    expect([status, body.code]).toEqual([409, 'in_use']);
    expect(body.references).toEqual([{ type: 'rule', id, name }]);
    expect((await admin(`GET ${rulesPath}?image_id=${made.id}`)).body.items).toMatchObject([{ id }]);
    const used = async (value: boolean) =>
      (await admin(`GET ${path}?used=${value}&search=${made.name}`)).body.items.length;
    expect([await used(true), await used(false)]).toEqual([1, 0]);
  });

  it('has the identifier of the picture that a rule already has, and is added once', async () => {
    const image = dataUri('png', png(13, 14));
    const rule = await addRule(admin, world.site, { image });
    const made = await addPicture(admin, { image });
    expect([made.id, made.rules_count]).toEqual([rule.image_id, 1]);
    const again = await admin(`POST ${path}`, { name: unique('again'), image });
    expect([again.status, again.body.existing_id, again.body.errors?.[0]?.pointer]).toEqual([
      409,
      made.id,
      '/image',
    ]);
    await admin(`DELETE ${rulesPath}/${rule.id}`);
    expect(await isStored(made.id)).toBe(true);
  });

  it('is added once by concurrent requests, which also race with the last rule that shows it', async () => {
    for (let round = 0; round < 6; round++) {
      const image = dataUri('png', png(100 + round, 2));
      const rule = await addRule(admin, world.site, { image });
      const answers = await Promise.all([
        admin(`POST ${path}`, { name: unique('one'), image }),
        admin(`DELETE ${rulesPath}/${rule.id}`),
        admin(`POST ${path}`, { name: unique('two'), image }),
      ]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 204, 409]);
      const made = answers.find(({ status }) => status === 201)?.body;
      const refused = answers.find(({ status }) => status === 409)?.body;
      expect(refused.existing_id).toBe(made.id);
      expect((await bytesAt(made.id)).headers.get('content-type')).toBe('image/png');
    }
  });

  it('is audited with its digest and announced, and a dry run stores nothing', async () => {
    const body = pictureBody();
    const dry = await admin(`POST ${path}`, body, { 'x-dry-run': 'true' });
    expect(dry.body.would.body.name).toBe(body.name);
    expect((await admin(`GET ${path}?search=${body.name}`)).body.items).toEqual([]);
    const { result, events } = await audited(world.portal, () => admin(`POST ${path}`, body));
    expect(events).toMatchObject([
      { action: 'create', object_type: 'picture', object_id: result.body.id, object_name: body.name },
    ]);
    expect(events[0]?.changes).toContainEqual({
      field: 'image',
      before: null,
      after: expect.stringMatching(/^[\w-]{43}$/),
    });
    const history = (await admin(`GET ${path}/${result.body.id}/history`)).body.items;
    expect(history).toHaveLength(1);
  });
});

describe('what the gallery refuses', () => {
  it.each([
    ['HTML as PNG', dataUri('png', '<html><script>alert(1)</script>')],
    ['a GIF', 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs='],
    ['a GIF as PNG', dataUri('png', Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=', 'base64'))],
    ['a WebP as PNG', dataUri('png', webp(3, 3))],
    ['a PNG as SVG', dataUri('svg+xml', png())],
    ['an HTML document as SVG', dataUri('svg+xml', '<html xmlns="http://www.w3.org/1999/xhtml"/>')],
    [
      'an SVG with entities',
      dataUri('svg+xml', `<!DOCTYPE svg [<!ENTITY a "b">]>${svg('<text>&a;</text>')}`),
    ],
    ['a picture of 100,000 pixels', dataUri('png', hugeHeader(100_000, 1))],
    ['a picture of no pixels', dataUri('png', hugeHeader(0, 1))],
    ['more than 256 KiB', dataUri('png', png(1, 1, 262_145 - png().length))],
    ['an address', 'https://example.com/a.png'],
    ['a file', 'file:///etc/passwd'],
  ])('%s', async (_, image) => {
    expect(await faultOf(image)).toEqual([422, '/image', 'invalid_picture']);
  });

  it('names with control and invisible characters; others are only text', async () => {
    for (const name of ['', ' ', 'a\u0000b', 'a\r\nb', 'a\u200bb'])
      expect((await admin(`POST ${path}`, pictureBody({ name }))).status, JSON.stringify(name)).toBe(422);
    const name = `../../etc/${unique('passwd')}"; filename=x.html`;
    const made = await addPicture(admin, { name });
    expect(made.name).toBe(name);
    expect((await bytesAt(made.id)).headers.get('content-disposition')).toBe(
      'inline; filename="picture.png"',
    );
  });

  it('a body beyond 2 MiB, and a picture beyond the limit of the gallery', async () => {
    const beyond = await admin(`POST ${path}`, `{"image":"${'a'.repeat(2 * 1_048_576)}"}`);
    expect(beyond.status).toBe(413);
    const filled = { prefix: `${unique('filled')} `, n: 1_000 };
    await world.portal.db.execute(sql`with stored as (
      insert into ${images} (id, digest, media_type, bytes, content, created_at)
      select gen_random_uuid(), ${filled.prefix} || n, 'image/png', 1, '', now()
      from generate_series(1, ${filled.n}::int) as n returning id, digest)
      insert into ${pictures} (id, name, name_key) select id, digest, lower(digest) from stored`);
    const full = await admin(`POST ${path}`, pictureBody());
    expect([full.status, full.body.code, full.body.reason]).toEqual([
      409,
      'invalid_state',
      'too_many_pictures',
    ]);
    const page = await admin(`GET ${path}?limit=500&search=${encodeURIComponent(filled.prefix)}`);
    expect([page.body.items.length, typeof page.body.next]).toEqual([500, 'string']);
    const like = `${filled.prefix}%`;
    await world.portal.db.execute(sql`delete from ${pictures} where name like ${like}`);
    await world.portal.db.execute(sql`delete from ${images} where digest like ${like}`);
  });
});

describe('hostile pictures', () => {
  it('lose scripts, event handlers, foreign content and external references', async () => {
    const hostile = svg(
      `<script>alert(1)</script><path onload="alert(2)" d="M0 0h1v1"/><foreignObject><body xmlns="http://www.w3.org/1999/xhtml" onload="alert(3)"/></foreignObject>
      <image href="https://evil.example/x.png"/><a href="javascript:alert(4)"><text>x</text></a><style>@import "https://evil.example/x.css";</style>`,
    );
    const made = await addPicture(admin, { image: dataUri('svg+xml', hostile) });
    const { headers, body } = await bytesAt(made.id);
    const text = body.toString();
    expect(text).not.toMatch(/alert|evil|javascript|onload|foreignObject|import/);
    expect(headers.get('content-disposition')).toBe('attachment; filename="picture.svg"');
  });

  it('that are also an HTML page are only pictures to browsers', async () => {
    const polyglot = Buffer.concat([png(5, 41), Buffer.from('<html><script>alert(1)</script></html>')]);
    const made = await addPicture(admin, { image: dataUri('png', polyglot) });
    const { headers } = await bytesAt(made.id);
    expect(headers.get('content-type')).toBe('image/png');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain('sandbox');
    expect(headers.get('cross-origin-resource-policy') ?? 'same-origin').toBe('same-origin');
  });
});

describe('the permissions for the gallery', () => {
  it('are one for each action', async () => {
    const made = await addPicture(admin);
    const requests = [
      ['pictures.read', `GET ${path}`, undefined, 200],
      ['pictures.read', `GET ${path}/${made.id}`, undefined, 200],
      ['pictures.create', `POST ${path}`, pictureBody(), 201],
      ['pictures.update', `PATCH ${path}/${made.id}`, { name: unique('again') }, 200],
      ['pictures.delete', `DELETE ${path}/${made.id}`, undefined, 204],
    ] as const;
    for (const [permission, request, body, status] of requests) {
      const without = await addMember(world, ['rules.update', ...all.filter((one) => one !== permission)]);
      const refused = await without.ask(request, body);
      expect([refused.status, refused.body.required_permission], request).toEqual([403, permission]);
      const { ask } = await addMember(world, [permission]);
      expect((await ask(request, body)).status, request).toBe(status);
    }
    expect((await world.portal.send(`GET ${path}`)).status).toBe(401);
  });

  it('show an administrator of one site the rules of that site only', async () => {
    const other = await addSite(admin);
    const made = await addPicture(admin);
    const own = await addRule(admin, world.site, { image_id: made.id });
    const foreign = await addRule(admin, other, { image_id: made.id });
    const { ask } = await addMember(world, [...all, 'rules.read'], [world.site.id]);
    expect((await ask(`GET ${path}/${made.id}`)).body.rules_count).toBe(1);
    expect((await ask(`GET ${path}?search=${made.name}`)).body.items[0].rules_count).toBe(1);
    // The gallery belongs to all sites.
    for (const [request, body] of [
      [`DELETE ${path}/${made.id}`, undefined],
      [`PATCH ${path}/${made.id}`, { name: unique('mine') }],
      [`POST ${path}`, pictureBody()],
    ] as const)
      expect((await ask(request, body)).body.code, request).toBe('forbidden');
    const deleter = await addMember(world, ['pictures.delete', 'rules.update']);
    const refused = await deleter.ask(`DELETE ${path}/${made.id}`);
    expect([refused.status, refused.body.references]).toEqual([409, []]);
    expect((await admin(`DELETE ${path}/${made.id}`)).body.references.map(({ id }: Json) => id)).toEqual(
      expect.arrayContaining([own.id, foreign.id]),
    );
  });

  it('do not show pictures that only a rule has', async () => {
    const rule = await addRule(admin, world.site, { image: dataUri('png', png(9, 91)) });
    for (const request of [`GET ${path}/${rule.image_id}`, `DELETE ${path}/${rule.image_id}`])
      expect((await admin(request)).status).toBe(404);
    expect((await admin(`GET ${path}/${newId()}`)).status).toBe(404);
    expect((await admin(`GET ${path}?ids=${rule.image_id}`)).body.items).toEqual([]);
  });
});

/** A PNG whose header names this size. */
function hugeHeader(width: number, height: number): Buffer {
  const bytes = Buffer.from(png());
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}
