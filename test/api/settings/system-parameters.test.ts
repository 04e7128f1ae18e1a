import { beforeAll, describe, expect, it } from 'vitest';
import { type Ask, addMember, audited, base, useWorld } from '../../support/factories.ts';

const path = `${base}/tconfig`;

describe.each(['pg', 'neon'] as const)('system parameters by the driver %s', (driver) => {
  const world = useWorld({ driver });
  let admin: Ask;

  beforeAll(async () => {
    ({ admin } = world);
  });

  it('are listed with defaults, bounds and descriptions', async () => {
    const { status, body } = await admin(`GET ${path}`);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual([
      'aggregator',
      'alerts',
      'audit',
      'directory',
      'export',
      'limits',
      'lockout',
      'monitoring',
      'oidc',
      'password',
      'service_tokens',
      'session',
      'ui',
    ]);
    expect(body.session.idle_s).toEqual({
      value: 1800,
      default: 1800,
      type: 'numeric',
      min: 120,
      max: 2_592_000,
      unit: 's',
      help: expect.any(String),
    });
    expect(body.ui.default_language).toMatchObject({ type: 'choice', choices: ['en', 'ru'] });
    expect(body.monitoring.site_failure_fails_health).toMatchObject({ type: 'boolean', value: false });
  });

  it('accept the values that were read, with one event for each change', async () => {
    const { body } = await admin(`GET ${path}`);
    body.session.idle_s.value = 900;
    body.lockout.max_tries.value = 4;
    const { result, events } = await audited(world.portal, () => admin(`PUT ${path}`, body));
    expect(result.status).toBe(200);
    expect(result.body).toEqual(body);
    expect(events).toHaveLength(2);
    expect(events.map((event) => [event.event, event.object_name, event.changes])).toEqual(
      expect.arrayContaining([
        ['portal.SystemConfigChanged', 'session.idle_s', [{ field: 'value', before: 1800, after: 900 }]],
        ['portal.SystemConfigChanged', 'lockout.max_tries', [{ field: 'value', before: 5, after: 4 }]],
      ]),
    );
    expect((await audited(world.portal, () => admin(`PUT ${path}`, body))).events).toEqual([]);
  });

  it('take effect at once in current sessions', async () => {
    await admin(`PUT ${path}`, { session: { idle_s: { value: 600 } } });
    const settings = await admin('GET /api/auth/v7.0/settings');
    expect(settings.body.session.idle_s).toBe(600);
    await admin(`PUT ${path}`, { session: { idle_s: { value: 1800 } } });
    expect((await admin(`GET ${path}`)).body.session.idle_s).toMatchObject({ value: 1800, default: 1800 });
  });

  it.each([
    ['a section that does not exist', { sessions: {} }, '/sessions'],
    ['a key that does not exist', { session: { idle: { value: 1 } } }, '/session/idle'],
    ['a value below its bound', { session: { idle_s: { value: 0 } } }, '/session/idle_s/value'],
    ['a value of another type', { session: { idle_s: { value: '600' } } }, '/session/idle_s/value'],
    ['no choice', { ui: { default_language: { value: 'xx' } } }, '/ui/default_language/value'],
    [
      'a URL with a password',
      { ui: { client_download_url: { value: 'https://u:p@example.com/client' } } },
      '/ui/client_download_url/value',
    ],
    ['no URL', { ui: { client_download_url: { value: 'javascript:x' } } }, '/ui/client_download_url/value'],
    ['no value', { session: { idle_s: { help: 'x' } } }, '/session/idle_s/value'],
  ])('reject %s, and change nothing then', async (_, body, pointer) => {
    const both = { lockout: { block_s: { value: 77 } }, ...body };
    expect(await admin(`PUT ${path}`, both)).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
    expect((await admin(`GET ${path}`)).body.lockout.block_s.value).toBe(300);
  });

  it('are written completely or not at all under concurrency', async () => {
    const values = [11, 12, 13, 14, 15, 16, 17, 18];
    await Promise.all(
      values.map((value) =>
        admin(`PUT ${path}`, { lockout: { max_tries: { value }, account_per_hour: { value } } }),
      ),
    );
    const { lockout } = (await admin(`GET ${path}`)).body;
    expect(values).toContain(lockout.max_tries.value);
    expect(lockout.account_per_hour.value).toBe(lockout.max_tries.value);
  });

  it('are not written over a change that the writer has not read', async () => {
    const read = await admin(`GET ${path}`);
    const known = { 'if-match': read.headers.get('etag') ?? '' };
    const mine = (value: number) => ({ session: { max_per_user: { value } } });
    const dry = { ...known, 'x-dry-run': 'true' };
    expect((await admin(`PUT ${path}`, mine(7), dry)).body.dry_run).toBe(true);
    const written = await admin(`PUT ${path}`, mine(7), known);
    expect(written.headers.get('etag')).toBe((await admin(`GET ${path}`)).headers.get('etag'));
    expect(written.headers.get('etag')).not.toBe(known['if-match']);
    for (const headers of [known, dry])
      expect(await admin(`PUT ${path}`, mine(8), headers)).toMatchObject({
        status: 412,
        body: { code: 'precondition_failed' },
      });
    expect((await admin(`GET ${path}`)).body.session.max_per_user.value).toBe(7);
    // The page of the theme changes one of the parameters.
    const current = { 'if-match': written.headers.get('etag') ?? '' };
    const themes = '/api/userinfo/themes';
    const theme = (await admin(`GET ${themes}`)).body;
    await admin(`PUT ${themes}`, { ...theme, default_language: 'ru' });
    expect((await admin(`PUT ${path}`, mine(8), current)).status).toBe(412);
    await admin(`PUT ${themes}`, theme);
    expect((await admin(`PUT ${path}`, mine(0), current)).status).toBe(200);
  });

  it('accept one of several writers with the same version', async () => {
    const known = { 'if-match': (await admin(`GET ${path}`)).headers.get('etag') ?? '' };
    const writes = [21, 22, 23, 24, 25, 26].map((value) =>
      admin(`PUT ${path}`, { lockout: { block_s: { value } } }, known),
    );
    const statuses = (await Promise.all(writes)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 412, 412, 412, 412, 412]);
    await admin(`PUT ${path}`, { lockout: { block_s: { value: 300 } } });
  });

  it('are read with a limited scope and written with the scope of all sites only', async () => {
    const { ask } = await addMember(
      world,
      ['system_parameters.read', 'system_parameters.update'],
      [world.site.id],
    );
    expect((await ask(`GET ${path}`)).status).toBe(200);
    expect((await ask(`PUT ${path}`, { session: { idle_s: { value: 180 } } })).status).toBe(403);
  });
});
