import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, it } from 'vitest';
import { serviceTokens } from '../../../../db/schema/identity/service-tokens.ts';
import { users } from '../../../../db/schema/identity/users.ts';
import { newId } from '../../../../shared/kernel/ids.ts';
import {
  type Ask,
  addDomain,
  addMember,
  addRole,
  addSite,
  adminOf,
  asker,
  audited,
  base,
  goodPassword,
  logIn,
  type Member,
  usersPath,
  useWorld,
} from '../../../support/factories.ts';
import {
  addServiceToken,
  addServiceUser,
  secondsFrom,
  serviceTokenBody,
  serviceTokensPath,
} from '../../../support/identity/service-tokens.ts';
import { codeOf as codeOfDevice } from '../../../support/identity/totp-device.ts';
import type { Answer, Json } from '../../../support/portal.ts';

const path = '/api/userinfo/service_tokens';
const world = useWorld();
const admin = adminOf(world);

const allow = (value: boolean, ask: Ask = admin) =>
  ask(`PUT ${base}/tconfig`, { service_tokens: { own: { value } } });
beforeEach(async () => {
  expect((await allow(true)).status).toBe(200);
});

const body = (given: object = {}) =>
  serviceTokenBody(world.portal, { permissions: [], proof: { password: goodPassword }, ...given });
const make = ({ ask }: Pick<Member, 'ask'>, given: object = {}) => ask(`POST ${path}`, body(given));
const made = async (member: Pick<Member, 'ask'>, given: object = {}): Promise<{ shown: Json; ask: Ask }> => {
  const answer = await make(member, given);
  expect(answer.status).toBe(201);
  return { shown: answer.body, ask: asker(world.portal, answer.body.token) };
};
const codeOf = ({ status, body: { code, reason } }: Answer) => [status, code, reason];
const statusOf = async (ask: Ask) => (await ask('GET /api/userinfo')).status;
const change = async ({ user }: Member, given: object) =>
  expect((await admin(`PATCH ${usersPath(world.domain)}/${user.id}`, given)).status).toBe(200);

describe('an own service token', () => {
  it('is returned once, listed without its secret, and revoked', async () => {
    const member = await addMember(world, []);
    const sent = body();
    const { result, events } = await audited(world.portal, () => member.ask(`POST ${path}`, sent));
    const { token, ...shown } = result.body;
    expect([result.status, token]).toEqual([201, expect.stringMatching(/^agst_[\w-]{43}$/)]);
    expect(result.headers.get('location')).toBe(`${path}/${shown.id}`);
    const { proof: _, ...stored } = sent as Json;
    expect(shown).toEqual({ ...shown, ...stored, last_seen_at: null, own: true });
    expect((await member.ask(`GET ${path}`)).body).toEqual({ items: [shown], next: null });
    expect(events).toMatchObject([
      {
        event: 'portal.EntityAction',
        action: 'create',
        object_type: 'service_token',
        object_id: shown.id,
        user_id: member.user.id,
        service_token: null,
      },
    ]);
    expect(JSON.stringify([await world.portal.db.select().from(serviceTokens), events])).not.toContain(token);
    const ask = asker(world.portal, token);
    expect(await statusOf(ask)).toBe(200);
    const end = await audited(world.portal, () => member.ask(`DELETE ${path}/${shown.id}`));
    expect(end.result.status).toBe(204);
    expect(end.events).toMatchObject([{ event: 'portal.TokenRevoked', object_id: shown.id }]);
    expect([await statusOf(ask), (await member.ask(`DELETE ${path}/${shown.id}`)).status]).toEqual([
      401, 404,
    ]);
  });

  it('is created only if the system parameter allows it, and ends when it does not any more', async () => {
    const member = await addMember(world, []);
    const { ask } = await made(member);
    await allow(false);
    expect(codeOf(await make(member))).toEqual([403, 'forbidden', undefined]);
    expect([await statusOf(ask), (await member.ask(`GET ${path}`)).body.items.length]).toEqual([401, 0]);
  });

  it('is not allowed by default, and allowed for all sites only', async () => {
    const { body: parameters } = await admin(`GET ${base}/tconfig`);
    expect(parameters.service_tokens.own).toMatchObject({ default: false, type: 'boolean' });
    const permissions = ['system_parameters.read', 'system_parameters.update'];
    const narrow = await addMember(world, permissions, [world.site.id]);
    expect((await allow(true, narrow.ask)).status).toBe(403);
    const settings = async () => (await narrow.ask('GET /api/auth/v7.0/settings')).body.service_tokens;
    expect(await settings()).toEqual({ own: true });
    await allow(false);
    expect(await settings()).toEqual({ own: false });
  });

  it('needs a login session: a service token creates, lists and revokes no tokens', async () => {
    const member = await addMember(world, []);
    const own = await made(member);
    const service = await addServiceToken(world, (await addServiceUser(world, [])).user);
    for (const { ask } of [own, service])
      for (const answer of [
        await ask(`POST ${path}`, body()),
        await ask(`GET ${path}`),
        await ask(`DELETE ${path}/${own.shown.id}`),
      ])
        expect(codeOf(answer)).toEqual([409, 'invalid_state', 'service_token']);
    expect(await statusOf(own.ask)).toBe(200);
  });

  it('has no permission that its user lacks, now or later', async () => {
    const member = await addMember(world, ['sites.read', 'farms.read'], [world.site.id]);
    const refused = await make(member, { permissions: ['sites.read', 'users.read', 'audit.read'] });
    expect([refused.status, refused.body.missing]).toEqual([403, ['audit.read', 'users.read']]);
    const { ask } = await made(member, { permissions: ['sites.read'] });
    const far = await addSite(admin);
    const seen = async () => [
      (await ask(`GET ${base}/sites/${world.site.id}`)).status,
      (await ask(`GET ${base}/sites/${far.id}`)).status,
      (await ask(`GET ${base}/farms`)).status,
    ];
    expect(await seen()).toEqual([200, 404, 403]);
    const wide = await addRole(admin, ['sites.read', 'farms.read']);
    await change(member, { roles: [wide.id] });
    expect(await seen()).toEqual([200, 404, 403]);
    // Without any right, the token ends.
    await change(member, { roles: [] });
    expect(await seen()).toEqual([401, 401, 401]);
  });

  it('has no permissions if it is created in a session on the user portal', async () => {
    const { user } = await addMember(world, ['sites.read']);
    const { body: session } = await logIn(world.portal, world.domain, user, { portal: 'user' });
    const ask = asker(world.portal, session.token);
    const refused = await make({ ask }, { permissions: ['sites.read'] });
    expect([refused.status, refused.body.missing]).toEqual([403, ['sites.read']]);
    const token = await made({ ask });
    expect((await token.ask('GET /api/userinfo')).body).toMatchObject({ permissions: [] });
  });

  it.each([
    ['an end in the past', -1],
    ['an end in more than 366 days', 366 * 86_400 + 60],
  ])('cannot have %s', async (_, seconds) => {
    const expires_at = secondsFrom(world.portal.deps.clock(), seconds);
    const { status, body: refused } = await make(await addMember(world, []), { expires_at });
    expect([status, refused.errors[0].pointer]).toEqual([422, '/expires_at']);
  });

  it('has a unique name, and is one of at most 50', async () => {
    const member = await addMember(world, []);
    const { shown } = await made(member, { name: 'Laptop' });
    const twin = await make(member, { name: 'LAPTOP' });
    expect([twin.status, twin.body.code, twin.body.existing_id]).toEqual([409, 'already_exists', shown.id]);
    const [row] = await world.portal.db.select().from(serviceTokens).where(eq(serviceTokens.id, shown.id));
    if (!row) throw new Error('no row');
    const copies = Array.from({ length: 48 }, (_, n) => ({
      ...row,
      id: newId(),
      name_key: `${n}`,
      token_hash: newId(),
    }));
    await world.portal.db.insert(serviceTokens).values(copies);
    const answers = await Promise.all([make(member), make(member), make(member)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(codeOf(await make(member))).toEqual([409, 'invalid_state', 'too_many_tokens']);
  });

  it('is found by its user only; administrators list and revoke it', async () => {
    const member = await addMember(world, []);
    const { shown, ask } = await made(member);
    const other = await addMember(world, []);
    expect((await other.ask(`DELETE ${path}/${shown.id}`)).status).toBe(404);
    expect((await other.ask(`GET ${path}`)).body.items).toEqual([]);
    const tokens = serviceTokensPath(world.domain, member.user);
    expect((await admin(`GET ${tokens}`)).body.items).toMatchObject([{ id: shown.id, own: true }]);
    expect((await admin(`DELETE ${tokens}/${shown.id}`)).status).toBe(204);
    expect(await statusOf(ask)).toBe(401);
  });

  it.each<[string, (member: Member) => Promise<unknown>, (member: Member) => Promise<unknown>]>([
    ['its user is disabled', (m) => change(m, { state: 'inactive' }), (m) => change(m, { state: 'active' })],
    [
      'its user becomes a service',
      (m) => change(m, { kind: 'service' }),
      (m) => change(m, { kind: 'person', password: goodPassword }),
    ],
  ])('ends for good when %s', async (_, end, restore) => {
    const member = await addMember(world, []);
    const { ask } = await made(member);
    await end(member);
    expect(await statusOf(ask)).toBe(401);
    await restore(member);
    expect(await statusOf(ask)).toBe(401);
  });

  it('ends with its domain', async () => {
    const domain = await addDomain(admin);
    const member = await addMember({ ...world, admin, domain }, []);
    const { ask } = await made(member);
    await admin(`PATCH ${base}/authenticators/${domain.id}`, { state: 'disabled' });
    expect(await statusOf(ask)).toBe(401);
  });

  it('is blocked while its user must change the password', async () => {
    const member = await addMember(world, []);
    const { ask } = await made(member);
    await world.portal.db
      .update(users)
      .set({ must_change_password: true })
      .where(eq(users.id, member.user.id));
    const blocked = await ask('GET /api/discover/');
    expect([blocked.status, blocked.body.code, await statusOf(ask)]).toEqual([
      403,
      'password_change_required',
      200,
    ]);
  });

  it('is not created by a session that ends meanwhile', async () => {
    const member = await addMember(world, []);
    const [before, { status }] = await Promise.all([make(member), member.ask('POST /api/auth/v7.0/logout')]);
    expect(status).toBe(200);
    expect([201, 401]).toContain(before.status);
    expect((await make(member)).status).toBe(401);
  });

  it('is created in five database round trips, three of which check the proof', async () => {
    const member = await addMember(world, []);
    await made(member);
    await world.portal.settled();
    const before = world.portal.trips();
    await made(member);
    await world.portal.settled();
    expect(world.portal.trips() - before).toBeLessThanOrEqual(5);
  });

  it('needs the password again, and a code of an account with a second factor', async () => {
    const member = await addMember(world, []);
    expect((await make(member, { proof: undefined })).status).toBe(422);
    const { result, events } = await audited(world.portal, () =>
      make(member, { proof: { password: 'wrong' } }),
    );
    expect(codeOf(result)).toEqual([401, 'invalid_credentials', undefined]);
    expect(events).toMatchObject([{ event: 'portal.LoginFailed', user_name: member.user.name }]);
    expect(codeOf(await make(member, { proof: { fresh_sign_in: true } }))).toEqual([
      ...[409, 'invalid_state', 'no_fresh_sign_in'],
    ]);
    const started = await member.ask('POST /api/userinfo/two_factor', { password: goodPassword });
    await member.ask('POST /api/userinfo/two_factor', {
      code: codeOfDevice(started.body.secret, world.portal.deps.clock()),
    });
    expect((await make(member)).body.code).toBe('two_factor_required');
  });
});
