import { eq, sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AuditEntry, appendAudit } from '../../../db/repositories/audit/events.ts';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { sealAll } from '../../support/audit/audit.ts';
import type { Driver } from '../../support/database/neon-proxy.ts';
import {
  addMember,
  addSite,
  addUser,
  base,
  logIn,
  type Member,
  unique,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const path = `${base}/audit`;

describe.each<Driver>(['pg', 'neon'])('the audit log, by the driver %s', (driver) => {
  const world = useWorld({ driver });
  let auditor: Member;

  beforeAll(async () => {
    auditor = await addMember(world, ['audit.read']);
  });

  const list = async (query = ''): Promise<Json> => {
    const { status, body } = await auditor.ask(`GET ${path}${query}`);
    expect([query, status]).toEqual([query, 200]);
    return body;
  };

  /** An event that no request of the portal causes. */
  async function write(given: Partial<AuditEntry> = {}): Promise<string> {
    const id = newId();
    await appendAudit(world.portal.db, {
      id,
      at: new Date(),
      event: 'portal.SessionAction',
      category: 'session',
      level: 'info',
      result: 'success',
      ...given,
    });
    return id;
  }

  it('has the user, the action, the object, the time, the address and the previous state of each event', async () => {
    const { site, admin } = world;
    const answer = await admin(`PATCH ${base}/sites/${site.id}`, { comments: 'noted' });
    const { items } = await list(`?object_id=${site.id}&limit=1`);
    expect(items).toEqual([
      {
        id: expect.any(String),
        seq: null,
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        event: 'portal.EntityAction',
        category: 'config',
        level: 'info',
        result: 'success',
        actor: 'user',
        user: 'admin',
        user_id: expect.any(String),
        domain: 'builtin',
        portal: 'admin',
        service_token: null,
        source_ip: '127.0.0.1',
        user_agent: '',
        request_id: answer.headers.get('x-request-id'),
        method: 'PATCH',
        path: `${base}/sites/{id}`,
        object_type: 'site',
        object_id: site.id,
        object_name: site.name,
        action: 'update',
        changes: [{ field: 'comments', before: '', after: 'noted' }],
        details: { revision: 2 },
        message: '',
        count: 1,
        prev_hash: null,
        hash: null,
      },
    ]);
  });

  it('is sorted newest first, and its pages contain every event once', async () => {
    const name = unique('object');
    const at = new Date();
    const ids: string[] = [];
    for (let n = 0; n < 7; n++) ids.push(await write({ object_id: name, at }));
    const seen: string[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const body: Json = await list(`?object_id=${name}&limit=3&count=exact${next && `&cursor=${next}`}`);
      expect(body.total).toBe(7);
      seen.push(...body.items.map(({ id }: Json) => id));
      next = body.next;
      await write({ object_id: unique('object') });
    }
    expect(seen).toEqual(ids.sort().reverse());
    const oldest = await list(`?object_id=${name}&sort=at`);
    expect(oldest.items.map(({ id }: Json) => id)).toEqual(ids.sort());
    const { next } = await list(`?object_id=${name}&limit=3`);
    const foreign = await auditor.ask(`GET ${path}?limit=3&cursor=${next}`);
    expect(foreign.body.code).toBe('malformed_cursor');
  });

  it('is filtered by each of its filters and by several together', async () => {
    const given = {
      event: 'portal.WorkplaceAction',
      category: 'workplace',
      result: 'failure',
      user_name: unique('Somebody'),
      object_type: 'audit_checkpoint',
      object_id: unique('object'),
      source_ip: '2001:db8::17',
      at: new Date('2020-02-03T04:05:06.789Z'),
    } as const;
    const id = await write(given);
    const filters = {
      event: given.event,
      category: given.category,
      result: given.result,
      user: given.user_name.toUpperCase(),
      object_type: given.object_type,
      object_id: given.object_id,
      source_ip: given.source_ip,
      from: '2020-02-03T04:05:06.789Z',
      to: '2020-02-03T06:05:06.790+02:00',
    };
    for (const [name, value] of Object.entries(filters)) {
      const query = new URLSearchParams({ [name]: value, ...(name === 'from' && { sort: 'at' }) });
      const { items } = await list(`?${query}`);
      expect([name, items.map((item: Json) => item.id)]).toEqual([name, expect.arrayContaining([id])]);
    }
    const all = await list(`?${new URLSearchParams(filters)}`);
    expect(all.items.map((item: Json) => item.id)).toEqual([id]);
    for (const [name, value] of [
      ['event', 'portal.UserLogin'],
      ['category', 'system'],
      ['result', 'success'],
      ['user', 'nobody'],
      ['object_type', 'site'],
      ['object_id', 'x'],
      ['source_ip', '127.0.0.1'],
      ['from', '2020-02-03T04:05:06.790Z'],
      ['to', '2020-02-03T04:05:06.789Z'],
    ] as const) {
      const { items } = await list(`?${new URLSearchParams({ ...filters, [name]: value })}`);
      expect([name, items]).toEqual([name, []]);
    }
  });

  it('keeps its filters in the link to the next page', async () => {
    const query = `?from=2026-01-01T00:00:00%2B02:00&limit=1`;
    const { headers } = await auditor.ask(`GET ${path}${query}`);
    const [, link] = /<(.*)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
    expect((await auditor.ask(`GET ${path}${link}`)).status).toBe(200);
    expect(link).toContain('from=2025-12-31T22');
  });

  it('rejects invalid times, sort orders and filters', async () => {
    for (const query of [
      'from=yesterday',
      'from=2026-01-01',
      'to=2026-13-01T00:00:00Z',
      'to=0000-01-01T00:00:00Z',
      'to=9999-12-31T23:59:59-10:00',
      'category=none',
      'result=maybe',
      'sort=event',
      'search=x',
      'level=info',
    ]) {
      const { status, body } = await auditor.ask(`GET ${path}?${query}`);
      expect([query, status]).toEqual([query, 422]);
      expect(body.errors[0].pointer).toBe(`?${query.split('=')[0]}`);
    }
  });

  it('needs the permission to read it for all sites', async () => {
    const site = await addSite(world.admin);
    const narrow = await addMember(world, ['audit.read'], [site.id]);
    for (const route of [path, `${path}/verify`]) {
      const { status, body } = await narrow.ask(`GET ${route}`);
      expect([status, body.code, body.required_permission]).toEqual([403, 'forbidden', 'audit.read']);
    }
    const builtin = await world.admin(`GET ${path}`);
    expect(builtin.status).toBe(200);
  });

  it('has no line that a user name, a user agent or an object name could forge', async () => {
    const forged = 'eve\r\n2026-01-01 portal.UserLogin admin\u001b[31m\u0000\u009b';
    const escaped = 'eve\\u000d\\u000a2026-01-01 portal.UserLogin admin\\u001b[31m';
    const headers = { 'user-agent': 'agent\u001b[2J\u009b0m' };
    const username = forged.replaceAll('\0', '');
    await world.portal.send('POST /api/auth/v7.0/login', {
      body: { username, password: 'x', authId: world.domain.id, platform: 'p\n' },
      headers,
    });
    const { items } = await list('?event=portal.LoginFailed&limit=1');
    expect(items[0]).toMatchObject({ user: `${escaped}\\u009b`, user_agent: 'agent\\u001b[2J\\u009b0m' });
    const user = await addUser(world.admin, world.domain);
    await logIn(world.portal, world.domain, user, { platform: 'line\nfeed' });
    const logins = await list(`?user=${user.name}&event=portal.UserLogin`);
    expect(logins.items).toMatchObject([{ details: { platform: 'line\\u000afeed' } }]);
  });

  it('is verified through the API: whole, in part, and with the place where it is broken', async () => {
    const { ownerDb, sidecarDb } = world.portal;
    const verify = async (query = ''): Promise<Json> =>
      (await auditor.ask(`GET ${path}/verify${query}`)).body;
    const sealed = await sealAll(sidecarDb);
    expect(await verify()).toEqual({ ok: true, checked: sealed, sealed_to: sealed });
    expect(await verify('?from=2&to=3')).toEqual({ ok: true, checked: 2, sealed_to: sealed });
    expect(await verify(`?from=${sealed + 1}`)).toEqual({ ok: true, checked: 0, sealed_to: sealed });
    const { items } = await list('?limit=500');
    const [first] = items.filter(({ seq }: Json) => seq === 1);
    expect((await list('?seq=1')).items).toEqual([first]);
    expect([first.prev_hash, first.hash]).toEqual(['0'.repeat(64), expect.stringMatching(/^[0-9a-f]{64}$/)]);
    await ownerDb.execute(sql`alter table audit_events disable trigger user`);
    await ownerDb.update(auditEvents).set({ user_name: 'another user' }).where(eq(auditEvents.seq, 3));
    expect(await verify()).toEqual({ ok: false, checked: sealed, sealed_to: sealed, first_bad: 3 });
    expect(await verify('?to=2')).toEqual({ ok: true, checked: 2, sealed_to: sealed });
    for (const query of ['?from=0', '?from=x', '?from=3&to=2', '?to=-1', '?from=1.5', '?from=1e30'])
      expect((await auditor.ask(`GET ${path}/verify${query}`)).status).toBe(422);
  });

  it('is not cacheable, and one request takes two round trips', async () => {
    const before = world.portal.trips();
    const { headers } = await auditor.ask(`GET ${path}?count=exact&user=admin`);
    await auditor.ask(`GET ${path}/verify`);
    await world.portal.settled();
    expect(world.portal.trips() - before).toBeLessThanOrEqual(4);
    expect(headers.get('cache-control')).toContain('no-store');
  });
});
