import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { escapeControls } from '../../../shared/kernel/text.ts';
import {
  addMember,
  addMonitoringRecord,
  addUser,
  audited,
  base,
  create,
  logIn,
  type Member,
  resources,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
let nobody: Member;

beforeAll(async () => {
  nobody = await addMember(world, []);
});

describe.each(
  resources.map((resource) => [resource.type, resource] as const),
)('each write of a %s', (type, resource) => {
  it('is one event with user, action, object, result, address and time', async () => {
    const { portal, admin } = world;
    const path = resource.path(world);
    const [name, value, fallback] = resource.plain;
    const made = await audited(portal, () => create(admin, path, resource.body(world)));
    const id = made.result.id;
    const changed = await audited(portal, () => admin(`PATCH ${path}/${id}`, { [name]: value }));
    const removed = await audited(portal, () => admin(`DELETE ${path}/${id}`));
    expect([changed.result.status, removed.result.status]).toEqual([200, 204]);
    const common = {
      event: 'portal.EntityAction',
      result: 'success',
      user_name: 'admin',
      source_ip: '127.0.0.1',
      request_id: expect.stringMatching(/./),
      at: expect.any(Date),
      object_type: type,
      object_id: id,
      count: 1,
    };
    expect(made.events).toMatchObject([{ ...common, action: 'create' }]);
    expect(changed.events).toMatchObject([
      { ...common, action: 'update', changes: [{ field: name, before: fallback, after: value }] },
    ]);
    expect(removed.events).toMatchObject([{ ...common, action: 'delete' }]);
  });

  it('that is refused because of a missing permission is one event too', async () => {
    const stranger = await addMember(world, []);
    const path = resource.path(world);
    const { result, events } = await audited(world.portal, () =>
      stranger.ask(`POST ${path}`, resource.body(world)),
    );
    expect(result.status).toBe(403);
    expect(events).toMatchObject([
      { event: 'portal.AccessRefused', result: 'failure', user_name: stranger.user.name, count: 1 },
    ]);
  });
});

describe('each login', () => {
  it('is one event, whether it succeeds or fails', async () => {
    const { portal, admin, domain } = world;
    const user = await addUser(admin, domain);
    const good = await audited(portal, () => logIn(portal, domain, user));
    expect(good.result.status).toBe(200);
    expect(good.events).toMatchObject([
      { event: 'portal.UserLogin', result: 'success', user_name: user.name, domain: expect.any(String) },
    ]);
    const bad = await audited(portal, () => logIn(portal, domain, user, { password: 'wrong' }));
    expect(bad.result.status).toBe(401);
    expect(bad.events).toMatchObject([
      { event: 'portal.LoginFailed', result: 'failure', user_name: user.name, source_ip: '127.0.0.1' },
    ]);
  });
});

describe('the audit', () => {
  it('has no operation that changes or deletes an event', () => {
    const file = new URL('../../../shared/openapi/openapi.json', import.meta.url);
    const document: { paths: Record<string, Json> } = JSON.parse(readFileSync(file, 'utf8'));
    const operations = Object.entries(document.paths)
      .filter(([path]) => path.startsWith(`${base}/audit`))
      .flatMap(([path, verbs]) => Object.keys(verbs).map((verb) => `${verb} ${path}`))
      .filter((operation) => !operation.endsWith('/export'));
    expect(operations.sort()).toEqual([`get ${base}/audit`, `get ${base}/audit/verify`]);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('does not support the method %s', async (method) => {
    const { status } = await world.admin(`${method} ${base}/audit`, {});
    expect(status).toBe(405);
  });

  it('records every edit of the monitoring journal', async () => {
    const { portal, admin } = world;
    const record = await addMonitoringRecord(admin);
    const path = `${base}/monitoring/${record.id}`;
    const { events } = await audited(portal, async () => {
      await admin(`PATCH ${path}`, { state: 'closed' });
      await admin(`DELETE ${path}`);
    });
    expect(events).toMatchObject([
      { object_id: record.id, action: 'update' },
      { object_id: record.id, action: 'delete' },
    ]);
  });
});

describe('a line of the audit or the log', () => {
  const evil = 'root\r\n{"level":"info","message":"forged"}\u001b[2J\u009b\u007f';

  it('cannot be forged by a user name or a user agent', async () => {
    const { portal, domain } = world;
    portal.log.length = 0;
    const { events } = await audited(portal, () =>
      portal.send('POST /api/auth/v7.0/login', {
        body: { username: evil, password: 'x', authId: domain.id },
        // A header cannot contain a line feed; the other characters are passed on.
        headers: { 'user-agent': 'agent \u009b[2J' },
      }),
    );
    expect(events).toMatchObject([{ event: 'portal.LoginFailed', user_name: escapeControls(evil) }]);
    const texts = textsIn([events, portal.log]);
    expect(texts).toContain('agent \\u009b[2J');
    expect(texts.filter((text) => escapeControls(text) !== text)).toEqual([]);
  });

  it('cannot be forged by the name of an object', async () => {
    const { events } = await audited(world.portal, () =>
      nobody.ask(`POST ${base}/sites`, { name: evil }, { 'x-request-id': 'plain' }),
    );
    expect(textsIn(events).filter((text) => escapeControls(text) !== text)).toEqual([]);
  });
});

/** All texts in a value, including property names. */
function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  JSON.stringify(value, (name, member: unknown) => {
    texts.push(name, ...(typeof member === 'string' ? [member] : []));
    return member;
  });
  return texts;
}
