import { beforeEach, describe, expect, it } from 'vitest';
import {
  addUser,
  adminOf,
  asker,
  goodPassword,
  logIn,
  usersPath,
  useWorld,
} from '../../../support/factories.ts';
import type { Json } from '../../../support/portal.ts';

const world = useWorld();
let user: Json;
const admin = adminOf(world);

beforeEach(async () => {
  user = await addUser(admin, world.domain);
});

const next = 'another long pass phrase';
const one = () => `${usersPath(world.domain)}/${user.id}`;

/** Runs a change during a login, between the password verification and the creation of the session. */
async function logInWhile(happens: () => Promise<unknown>, { outdated = false } = {}) {
  const { hasher } = world.portal.deps;
  const { verify, isOutdated } = hasher;
  hasher.verify = async (password, stored) => {
    hasher.verify = verify;
    const isRight = await verify(password, stored);
    await happens();
    return isRight;
  };
  if (outdated) hasher.isOutdated = () => true;
  try {
    return await logIn(world.portal, world.domain, user);
  } finally {
    Object.assign(hasher, { verify, isOutdated });
  }
}

describe('a login in progress', () => {
  it('is refused when the user is deleted meanwhile', async () => {
    const { status, body } = await logInWhile(() => admin(`DELETE ${one()}`));
    expect([status, body.code]).toEqual([401, 'invalid_credentials']);
  });

  it('is refused when the password is changed meanwhile', async () => {
    const { status, body } = await logInWhile(() => admin(`PATCH ${one()}`, { password: next }));
    expect([status, body.code]).toEqual([401, 'invalid_credentials']);
  });

  it('does not restore the previous password by rehashing it', async () => {
    await logInWhile(() => admin(`PATCH ${one()}`, { password: next }), { outdated: true });
    expect((await logIn(world.portal, world.domain, user, { password: goodPassword })).status).toBe(401);
    expect((await logIn(world.portal, world.domain, user, { password: next })).status).toBe(200);
  });

  it('rehashes an outdated hash when nothing else changes', async () => {
    const { status, body } = await logInWhile(async () => undefined, { outdated: true });
    expect(status).toBe(200);
    expect((await asker(world.portal, body.token)('GET /api/userinfo')).status).toBe(200);
    expect((await logIn(world.portal, world.domain, user)).status).toBe(200);
  });
});
