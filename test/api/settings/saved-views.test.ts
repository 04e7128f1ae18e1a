import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { savedViews } from '../../../db/schema/settings/saved-views.ts';
import { addMember, audited, type Member, useWorld } from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const path = '/api/userinfo/views';
const world = useWorld();
let member: Member;
beforeEach(async () => {
  member = await addMember(world, ['sites.read']);
});

const body = (given: Json = {}) => ({ list: 'workplace', name: 'Failed', query: 'state=failed', ...given });
const add = async (given: Json = {}) => member.ask(`POST ${path}`, body(given));
const added = async (given: Json = {}): Promise<Json> => (await add(given)).body;
const put = ({ id }: Json, given: Json = {}, { ask }: Member = member) =>
  ask(`PUT ${path}/${id}`, body(given));
const items = async ({ ask }: Member = member): Promise<Json[]> => (await ask(`GET ${path}`)).body.items;

describe('saved views of lists', () => {
  it('are saved, replaced and deleted', async () => {
    const { status, body: view, headers } = await add();
    expect([status, view]).toEqual([201, { id: view.id, ...body(), is_default: false }]);
    expect(headers.get('location')).toBe(`${path}/${view.id}`);
    expect(await items()).toEqual([view]);
    const renamed = { ...view, name: 'Broken', query: 'sort=-name', is_default: true };
    const { id: _, ...given } = renamed;
    expect(await put(view, given)).toMatchObject({ status: 200, body: renamed });
    expect(await items()).toEqual([renamed]);
    expect((await member.ask(`DELETE ${path}/${view.id}`)).status).toBe(204);
    expect(await items()).toEqual([]);
    expect((await member.ask(`DELETE ${path}/${view.id}`)).status).toBe(404);
    expect((await put(view)).status).toBe(404);
  });

  it('have one default view in each list, and are in the order of lists and names', async () => {
    const shown = async () => (await items()).map(({ name, is_default }) => [name, is_default]);
    const first = await added({ name: 'b', is_default: true });
    await added({ list: 'farm', name: 'z', is_default: true });
    await added({ name: 'A', is_default: true });
    expect(await shown()).toEqual([
      ['z', true],
      ['A', true],
      ['b', false],
    ]);
    await put(first, { name: 'b', is_default: true });
    expect(await shown()).toEqual([
      ['z', true],
      ['A', false],
      ['b', true],
    ]);
  });

  it('have a name that is unique in their list, whatever its case', async () => {
    await add();
    const other = await added({ name: 'Other' });
    for (const { status, body: problem } of [await add({ name: ' FAILED ' }), await put(other)])
      expect([status, problem.errors]).toMatchObject([409, [{ pointer: '/name', code: 'already_exists' }]]);
    expect((await add({ list: 'farm' })).status).toBe(201);
  });

  it('belong to their user: others neither see, replace nor delete them', async () => {
    const view = await added();
    const other = await addMember(world, ['sites.read']);
    expect(await items(other)).toEqual([]);
    expect((await put(view, { name: 'Mine now' }, other)).status).toBe(404);
    expect((await other.ask(`DELETE ${path}/${view.id}`)).status).toBe(404);
    expect(await items()).toEqual([view]);
    expect((await world.portal.send(`GET ${path}`)).status).toBe(401);
  });

  it('are at most 200 for each user, and existing ones can still be replaced', async () => {
    const rows = Array.from({ length: 200 }, (_, n) => ({
      ...{ id: randomUUID(), user_id: member.user.id, list: 'site', name: `v${n}`, name_key: `v${n}` },
      ...{ query: '', created_at: new Date() },
    }));
    await world.portal.db.insert(savedViews).values(rows);
    expect(await add()).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    expect((await put({ id: rows[0]?.id }, { list: 'site', name: 'renamed' })).status).toBe(200);
    expect(await items()).toHaveLength(200);
  });

  it('cost one event for each change, and end with the account', async () => {
    const { result, events } = await audited(world.portal, () => add());
    const { id } = result.body;
    const after = { ...body(), is_default: false };
    expect(events).toMatchObject([
      { action: 'update', object_type: 'user', object_id: member.user.id, user_id: member.user.id },
    ]);
    expect(events[0]?.changes).toEqual([{ field: 'saved_view', before: null, after }]);
    await world.admin(
      `DELETE /api/webui/aggregator/authenticators/${world.domain.id}/users/${member.user.id}`,
    );
    expect(await world.portal.db.select().from(savedViews)).not.toContainEqual(
      expect.objectContaining({ id }),
    );
  });

  it.each([
    [{ name: '' }, '/name'],
    [{ name: 'x'.repeat(65) }, '/name'],
    [{ list: 'a/b' }, '/list'],
    [{ list: '' }, '/list'],
    [{ query: 'x'.repeat(2_001) }, '/query'],
    [{ user_id: 'x' }, '/user_id'],
  ])('refuse %o', async (given, pointer) => {
    const { status, body: problem } = await add(given);
    expect([status, problem.errors?.[0]?.pointer]).toEqual([422, pointer]);
  });
});
