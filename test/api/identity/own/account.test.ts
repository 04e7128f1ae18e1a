import { beforeEach, expect, it } from 'vitest';
import {
  addGroup,
  addMember,
  addUser,
  audited,
  type Member,
  usersPath,
  useWorld,
} from '../../../support/factories.ts';
import {
  addEnrolled,
  addTwoFactorDomain,
  holdClock,
  logIn2fa,
} from '../../../support/identity/second-factor.ts';

const world = useWorld();
let member: Member;

beforeEach(async () => {
  member = await addMember(world, ['sites.read']);
});

const read = async () => (await member.ask('GET /api/userinfo')).body;
const patch = (body: object) => member.ask('PATCH /api/userinfo', body);

it('a user sets their language and resets it', async () => {
  const before = await read();
  expect(before.language).toBeNull();
  for (const language of ['ru', 'en', null]) {
    const { status, body } = await patch({ language });
    expect([status, body]).toEqual([200, { ...before, language }]);
    expect((await read()).language).toBe(language);
  }
});

it('a language choice is one event, and does not change the user as administrators see it', async () => {
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

it('the body of a language choice may have the other properties that were read, which are ignored', async () => {
  await patch({ language: 'ru' });
  const whole = await read();
  expect((await patch({ ...whole, name: 'somebody', email: 'x', portal: 'user' })).body).toEqual(whole);
  expect((await patch({})).body).toEqual(whole);
});

it('unknown languages and unknown properties are rejected', async () => {
  for (const body of [{ language: 'de' }, { language: '' }, { language: 7 }, { tongue: 'ru' }])
    expect([body, (await patch(body)).status]).toEqual([body, 422]);
  expect((await read()).language).toBeNull();
});

it('a user with a mandatory password change may set their language, in three database round trips', async () => {
  const bound = await addMember(world, [], '*', { must_change_password: true });
  await world.portal.settled();
  const before = world.portal.trips();
  expect((await bound.ask('PATCH /api/userinfo', { language: 'en' })).status).toBe(200);
  expect(world.portal.trips() - before).toBe(3);
});

it('the profile has the state of the second factor, and whether the domain requires one', async () => {
  const plain = { has_password: true, two_factor: { enrolled: false, required: false } };
  expect(await read()).toMatchObject(plain);
  const clock = holdClock(world.portal);
  const domain = await addTwoFactorDomain(world.admin);
  const group = await addGroup(world.admin, domain, { skip_two_factor: true });
  const enrolled = await addEnrolled(world, domain, clock.now());
  const waived = await addUser(world.admin, domain, { groups: [group.id] });
  const { token } = (await logIn2fa(world.portal, domain, waived)).body;
  const factorOf = async (token: string) =>
    (await world.portal.send('GET /api/userinfo', { token })).body.two_factor;
  expect(await factorOf(enrolled.token)).toEqual({ enrolled: true, methods: ['totp'], required: true });
  expect(await factorOf(token)).toEqual({ enrolled: false, methods: [], required: false });
});
