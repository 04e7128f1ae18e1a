import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  addMember,
  audited,
  type Member,
  startWorld,
  usersPath,
  type World,
} from '../../../support/factories.ts';

let world: World;
let member: Member;

beforeAll(async () => {
  world = await startWorld();
});
beforeEach(async () => {
  member = await addMember(world, ['sites.read']);
});
afterAll(() => world.portal.close());

const read = async () => (await member.ask('GET /api/userinfo')).body;
const patch = (body: object) => member.ask('PATCH /api/userinfo', body);

it('a user chooses his language and gives the choice up again', async () => {
  const before = await read();
  expect(before.language).toBeNull();
  for (const language of ['ru', 'en', null]) {
    const { status, body } = await patch({ language });
    expect([status, body]).toEqual([200, { ...before, language }]);
    expect((await read()).language).toBe(language);
  }
});

it('a choice is one event, and changes nothing that administrators see of the user', async () => {
  const one = `GET ${usersPath(world.domain)}/${member.user.id}`;
  const before = await world.admin(one);
  const { events } = await audited(world.portal, () => patch({ language: 'ru' }));
  expect(events).toMatchObject([
    {
      event: 'portal.EntityAction',
      action: 'update',
      object_type: 'user',
      object_id: member.user.id,
      user_id: member.user.id,
      changes: [{ field: 'language', before: null, after: 'ru' }],
    },
  ]);
  const after = await world.admin(one);
  expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
});

it('what was read may be sent back: the rest is ignored', async () => {
  await patch({ language: 'ru' });
  const whole = await read();
  expect((await patch({ ...whole, name: 'somebody', email: 'x', portal: 'user' })).body).toEqual(whole);
  expect((await patch({})).body).toEqual(whole);
});

it('other languages, and members that there are not, are refused', async () => {
  for (const body of [{ language: 'de' }, { language: '' }, { language: 7 }, { tongue: 'ru' }])
    expect([body, (await patch(body)).status]).toEqual([body, 422]);
  expect((await read()).language).toBeNull();
});

it('who must change his password first may choose his language, in three trips to the database', async () => {
  const bound = await addMember(world, [], '*', { must_change_password: true });
  await world.portal.settled();
  const before = world.portal.trips();
  expect((await bound.ask('PATCH /api/userinfo', { language: 'en' })).status).toBe(200);
  expect(world.portal.trips() - before).toBe(3);
});
