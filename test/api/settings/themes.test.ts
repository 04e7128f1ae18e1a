import { beforeEach, describe, expect, it } from 'vitest';
import { addMember, adminOf, audited, startWorld, useWorld } from '../../support/factories.ts';
import { dataUri, png, svg } from '../../support/pictures.ts';
import { type Json, startPortal } from '../../support/portal.ts';

const path = '/api/userinfo/themes';
const world = useWorld();
const admin = adminOf(world);
const put = (body: Json, headers?: Record<string, string>) => admin(`PUT ${path}`, body, headers);

const defaults = {
  site_name: 'Aggregator portal',
  logo: null,
  favicon: null,
  login_background: null,
  primary_color: '#2563eb',
  accent_color: '#0f766e',
  login_text: '',
  footer_text: '',
  copyright: '',
  copyright_link: '',
  support_link: '',
  client_downloads: { windows: '', macos: '', linux: '', android: '', ios: '' },
  default_language: 'en',
};
const own = {
  site_name: 'Our desktops',
  logo: dataUri('svg+xml', svg()),
  favicon: dataUri('png', png()),
  login_background: dataUri('png', png(2, 2)),
  primary_color: '#AA00ff',
  accent_color: '#000000',
  login_text: 'Only for staff.\nCall 1234 for help.',
  footer_text: '<b>plain</b> & simple',
  copyright: '© Example',
  copyright_link: 'https://example.com/legal?a=1#b',
  support_link: 'http://support.example.com',
  client_downloads: {
    windows: 'https://example.com/rdp.msi',
    macos: 'https://apps.apple.com/app/id1295203466',
    linux: 'http://example.com/?os=linux#deb',
    android: '',
    ios: 'https://apps.apple.com/app/id714464092',
  },
  default_language: 'ru',
};

it('the branding is complete before the first write, which needs no row', async () => {
  const fresh = await startWorld();
  const read = await fresh.admin(`GET ${path}`);
  expect([read.status, read.body]).toEqual([200, defaults]);
  const etag = read.headers.get('etag') ?? '';
  const body = { site_name: 'First' };
  const answers = await Promise.all(
    [1, 2, 3].map(() => fresh.admin(`PUT ${path}`, body, { 'if-match': etag })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
  await fresh.portal.close();
});

describe('the branding', () => {
  beforeEach(async () => {
    expect((await put({})).status).toBe(200);
  });

  it('is replaced as a whole, and PUT accepts the result of GET', async () => {
    const written = await put(own);
    expect([written.status, written.body]).toEqual([200, own]);
    const read = await admin(`GET ${path}`);
    expect(read.body).toEqual(own);
    expect(read.headers.get('etag')).toBe(written.headers.get('etag'));
    expect((await put(read.body)).body).toEqual(own);
    expect((await put({ site_name: 'Short' })).body).toEqual({ ...defaults, site_name: 'Short' });
  });

  it('is read by every session and written with themes.update for all sites', async () => {
    const plain = await addMember(world, []);
    expect((await plain.ask(`GET ${path}`)).body).toEqual(defaults);
    expect((await world.portal.send(`GET ${path}`)).status).toBe(401);
    const reader = await addMember(world, ['sites.read']);
    const narrow = await addMember(world, ['themes.update'], [world.site.id]);
    for (const { ask } of [plain, reader, narrow]) {
      const { status, body } = await ask(`PUT ${path}`, own);
      expect([status, body.code]).toEqual([403, 'forbidden']);
    }
    const designer = await addMember(world, ['themes.update']);
    expect((await designer.ask(`PUT ${path}`, own)).status).toBe(200);
    const userPortal = await startPortal({ portalType: 'user' });
    expect((await userPortal.send(`GET ${path}`)).status).toBe(401);
    await userPortal.close();
  });

  it.each([
    ['site_name', ''],
    ['site_name', 'x'.repeat(129)],
    ['site_name', 'a\nb'],
    ['site_name', null],
    ['logo', 'https://example.com/logo.png'],
    ['logo', 'data:text/html,<script>alert(1)</script>'],
    ['favicon', dataUri('png', '<html>')],
    ['login_background', dataUri('png', png(1, 1, 262_144))],
    ['primary_color', 'red'],
    ['primary_color', '#fff'],
    ['accent_color', '#2563eb;background:url(//evil.example)'],
    ['login_text', 'x'.repeat(4097)],
    ['login_text', 'a\u0007b'],
    ['footer_text', 'x'.repeat(1025)],
    ['copyright', 'a\nb'],
    ['copyright_link', 'javascript:alert(1)'],
    ['copyright_link', ' https://example.com'],
    ['copyright_link', 'https://user:pass@example.com'],
    ['support_link', '//example.com'],
    ['support_link', 'https://'],
    ['support_link', 'https://example.com/"onmouseover="x'],
    ['default_language', 'xx'],
    ['revision', 1],
  ])('rejects %s with the value %j', async (member, value) => {
    const { status, body } = await put({ ...own, [member]: value });
    expect([status, body.errors]).toMatchObject([422, [{ pointer: `/${member}` }]]);
    expect((await admin(`GET ${path}`)).body).toEqual(defaults);
  });

  it.each([
    [{ windows: 'javascript:alert(1)' }, '/client_downloads/windows'],
    [{ macos: 'ftp://example.com/client.dmg' }, '/client_downloads/macos'],
    [{ linux: 'https://user:pass@example.com' }, '/client_downloads/linux'],
    [{ android: null }, '/client_downloads/android'],
    [{ ios: 'https://example.com/a b' }, '/client_downloads/ios'],
    [{ beos: 'https://example.com' }, '/client_downloads/beos'],
    ['https://example.com', '/client_downloads'],
    [null, '/client_downloads'],
  ])('rejects %j as downloads of client programs', async (client_downloads, pointer) => {
    const { status, body } = await put({ ...own, client_downloads });
    expect([status, body.errors]).toMatchObject([422, [{ pointer }]]);
    expect((await admin(`GET ${path}`)).body).toEqual(defaults);
  });

  it('fills in absent downloads of client programs, and shows them to every user', async () => {
    const windows = 'https://example.com/client.msi';
    const written = await put({ client_downloads: { windows } });
    const expected = { ...defaults.client_downloads, windows };
    expect([written.status, written.body.client_downloads]).toEqual([200, expected]);
    const plain = await addMember(world, []);
    expect((await plain.ask(`GET ${path}`)).body.client_downloads).toEqual(expected);
  });

  it('stores sanitised images', async () => {
    const logo = dataUri('svg+xml', svg('<script>alert(1)</script><path d="M0 0"/>'));
    expect((await put({ logo })).body.logo).toBe(dataUri('svg+xml', svg('<path d="M0 0"/>')));
  });

  it('accepts a body of up to 2 MiB', async () => {
    const large = dataUri('png', png(1, 1, 262_144 - png().length));
    expect((await put({ logo: large, favicon: large, login_background: large })).status).toBe(200);
    const beyond = await admin(`PUT ${path}`, `{"logo":"${'a'.repeat(2 * 1_048_576)}"}`);
    expect([beyond.status, beyond.body.limit_bytes]).toEqual([413, 2 * 1_048_576]);
  });

  it('supports If-Match and If-None-Match', async () => {
    const { headers } = await admin(`GET ${path}`);
    const etag = headers.get('etag') ?? '';
    const unchanged = await admin(`GET ${path}`, undefined, { 'if-none-match': etag });
    expect([unchanged.status, unchanged.body]).toEqual([304, '']);
    expect((await put(own, { 'if-match': etag })).status).toBe(200);
    expect((await put({}, { 'if-match': etag })).body.code).toBe('precondition_failed');
    expect((await admin(`GET ${path}`)).body).toEqual(own);
    const without = await Promise.all([1, 2, 3, 4].map((n) => put({ site_name: `Name ${n}` })));
    expect(without.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('writes one audit event per write, with images by their digests', async () => {
    const { events } = await audited(world.portal, () => put({ site_name: 'Named', logo: own.logo }));
    expect(events).toMatchObject([
      {
        event: 'portal.EntityAction',
        action: 'update',
        object_type: 'theme',
        object_name: 'Named',
        changes: [
          { field: 'site_name', before: 'Aggregator portal', after: 'Named' },
          { field: 'logo', before: null, after: expect.stringMatching(/^[\w-]{43}$/) },
        ],
      },
    ]);
    const refused = await audited(world.portal, () => put({}, { 'if-match': '"0.x"' }));
    expect([refused.result.status, refused.events]).toEqual([412, []]);
  });
});
