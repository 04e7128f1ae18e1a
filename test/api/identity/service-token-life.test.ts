import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { liveTokens, liveTokensIn } from '../../../db/repositories/identity/login/live-principals.ts';
import { sha256 } from '../../../shared/kernel/crypto/digests.ts';
import {
  type Ask,
  addDomain,
  adminOf,
  asker,
  audited,
  domainsPath,
  goodPassword,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import {
  addServiceToken,
  addServiceUser,
  secondsFrom,
  serviceTokensPath,
} from '../../support/identity/service-tokens.ts';
import type { Answer, Json, TestPortal } from '../../support/portal.ts';

const world = useWorld();
let portal: TestPortal;
const admin = adminOf(world);

beforeAll(async () => {
  portal = world.portal;
});
beforeEach(async () => {
  // Moving the clock expires sessions.
  world.admin = asker(portal, await portal.login());
});

const day = 86_400;
const inSeconds = (seconds: number) => secondsFrom(portal.deps.clock(), seconds);
const tokensPath = (user: Json, domain: Json = world.domain) => serviceTokensPath(domain, user);
const addService = (permissions: readonly string[], given: object = {}, domain: Json = world.domain) =>
  addServiceUser({ admin, domain }, permissions, given);
const addToken = (user: Json, given: object = {}, domain: Json = world.domain) =>
  addServiceToken({ portal, admin, domain }, user, given);
const codeOf = async (answer: Promise<Answer>) => {
  const { status, body } = await answer;
  return [status, body.code, body.reason].filter((part) => part !== undefined);
};
const statusOf = async (ask: Ask) => (await ask('GET /api/userinfo')).status;

it('a service token is looked up with its identifier, by which the log names it', async () => {
  const { user } = await addServiceUser(world, []);
  const { made } = await addServiceToken(world, user);
  const watched = { hash: sha256(made.token), kind: 'service', digest: '' } as const;
  const found = await liveTokens(world.portal.db, [watched], world.portal.deps.clock());
  expect(liveTokensIn(found).tokens[0]?.row).toMatchObject({
    token: { id: made.id, name: made.name, own: false },
    user: { id: user.id },
  });
});

describe('a service token ends', () => {
  it('by its own expiry, and by neither idleness nor the age of sessions', async () => {
    const { user } = await addService(['sites.read']);
    const { ask, made } = await addToken(user, { expires_at: inSeconds(3 * day) });
    portal.advance(2.9 * day);
    const { status, body } = await ask('GET /api/userinfo');
    expect([status, body.session.expires_at, body.session.idle_expires_at]).toEqual([
      200,
      made.expires_at,
      made.expires_at,
    ]);
    portal.advance(0.2 * day);
    expect(await codeOf(ask('GET /api/userinfo'))).toEqual([401, 'invalid_token']);
  });

  it('by revocation, at the next request and permanently', async () => {
    const { user } = await addService([]);
    const [{ ask, made }, other] = [await addToken(user), await addToken(user)];
    const path = `${tokensPath(user)}/${made.id}`;
    const { result, events } = await audited(portal, () =>
      Promise.all(Array.from({ length: 4 }, () => admin(`DELETE ${path}`))),
    );
    expect(result.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404]);
    expect(events).toMatchObject([
      {
        event: 'portal.TokenRevoked',
        object_id: made.id,
        object_name: made.name,
        details: { user: user.name },
      },
    ]);
    expect([await statusOf(ask), await statusOf(other.ask)]).toEqual([401, 200]);
  });

  it.each<[string, (user: Json, domain: Json) => Promise<Answer>]>([
    [
      'its user is made inactive',
      (user, domain) => admin(`PATCH ${usersPath(domain)}/${user.id}`, { state: 'inactive' }),
    ],
    ['its user is deleted', (user, domain) => admin(`DELETE ${usersPath(domain)}/${user.id}`)],
    [
      'its domain is disabled',
      (_, domain) => admin(`PATCH ${domainsPath}/${domain.id}`, { state: 'disabled' }),
    ],
    ['its domain is deleted', (_, domain) => admin(`DELETE ${domainsPath}/${domain.id}`)],
    [
      'its domain no longer serves staff',
      (_, domain) => admin(`PATCH ${domainsPath}/${domain.id}`, { subjects: 'users' }),
    ],
  ])('when %s', async (_, change) => {
    const domain = await addDomain(admin);
    const { user } = await addService(['sites.read'], {}, domain);
    const { ask } = await addToken(user, {}, domain);
    expect(await statusOf(ask)).toBe(200);
    expect((await change(user, domain)).status).toBeLessThan(300);
    expect(await statusOf(ask)).toBe(401);
  });

  it('when its user becomes a person, permanently', async () => {
    const { user } = await addService([]);
    const { ask } = await addToken(user);
    const set = (body: object) => admin(`PATCH ${usersPath(world.domain)}/${user.id}`, body);
    expect((await set({ kind: 'person', password: goodPassword })).status).toBe(200);
    expect(await statusOf(ask)).toBe(401);
    expect((await set({ kind: 'service' })).status).toBe(200);
    expect(await statusOf(ask)).toBe(401);
    expect((await admin(`GET ${tokensPath(user)}`)).body.items).toEqual([]);
  });

  it('a malformed service token is rejected', async () => {
    for (const token of [`agst_${'A'.repeat(43)}`, 'agst_', `agst_${'A'.repeat(200)}`])
      expect((await portal.send('GET /api/userinfo', { token })).body.code).toBe('invalid_token');
  });
});

it('updates its last use once a minute at most, outside the request', async () => {
  const { user } = await addService([]);
  const { ask } = await addToken(user);
  const seen = async () => {
    expect(await statusOf(ask)).toBe(200);
    await portal.settled();
    return Date.parse((await admin(`GET ${tokensPath(user)}`)).body.items[0].last_seen_at);
  };
  const start = await seen();
  expect(start).toBeGreaterThan(0);
  portal.advance(30);
  expect(await seen()).toBe(start);
  portal.advance(40);
  expect(await seen()).toBeGreaterThanOrEqual(start + 60_000);
});
