import { beforeAll, describe, expect, it } from 'vitest';
import { createSealer } from '../../../shared/kernel/crypto/sealing.ts';
import { runAdmin } from '../../support/admin-command.ts';
import {
  type Ask,
  addMember,
  asker,
  goodPassword,
  logIn,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import { newSecretKey, newSigningKey } from '../../support/identity/signing-keys.ts';
import type { Json } from '../../support/portal.ts';

const key = newSecretKey();
const next = 'another long pass phrase';
const typed = 'nine brass kettles sing';

const world = useWorld({ secretKeys: [key] });
let env: NodeJS.ProcessEnv;

beforeAll(() => {
  env = {
    DATABASE_URL: world.portal.databaseUrl,
    SECRET_KEY: key,
    AGGREGATOR_JWT_SSL_KEY: newSigningKey(),
  };
});

const loggedIn = async (user: Json, password: string): Promise<Ask> =>
  asker(world.portal, (await logIn(world.portal, world.domain, user, { password })).body.token);
const change = async (ask: Ask, current: string, to: string) => {
  const { status, body } = await ask('PUT /api/userinfo/password', { current, new: to });
  return [status, body?.errors?.[0]?.code];
};

describe('former passwords and npm run admin', { timeout: 60_000 }, () => {
  it('one that reset-password replaced cannot be chosen again', async () => {
    const { user } = await addMember(world, []);
    const name = `${world.domain.small_name}/${user.name}`;
    const { code } = await runAdmin(env, ['reset-password', name, '--password'], `${typed}\n`);
    expect(code).toBe(0);
    const ask = await loggedIn(user, typed);
    expect(await change(ask, typed, goodPassword)).toEqual([422, 'used_before']);
    expect(await change(ask, typed, next)).toEqual([204, undefined]);
  });

  it('they are compared after a rotation of SECRET_KEY, and skipped without a lost key', async () => {
    const { user, ask } = await addMember(world, []);
    expect(await change(ask, goodPassword, next)).toEqual([204, undefined]);
    const [rotated, lost] = [newSecretKey(), newSecretKey()];
    const { stdout } = await runAdmin({ ...env, SECRET_KEY: `${rotated},${key}` }, ['reseal']);
    expect(stdout).toMatch(/password_history\.sealed_hash: [1-9]\d* resealed, 0 remain\n/);
    const { deps } = world.portal;
    const { sealer } = deps;
    Object.assign(deps, { sealer: await createSealer([rotated]) });
    const own = await loggedIn(user, next);
    expect(await change(own, next, goodPassword)).toEqual([422, 'used_before']);
    const path = `${usersPath(world.domain)}/${user.id}`;
    expect((await world.admin(`PATCH ${path}`, { password: typed })).status).toBe(200);
    Object.assign(deps, { sealer: await createSealer([lost]) });
    const replaced = await runAdmin({ ...env, SECRET_KEY: lost }, ['replace-lost-key']);
    expect(replaced.stdout).toContain('these former passwords can be used again');
    expect(await change(await loggedIn(user, typed), typed, goodPassword)).toEqual([204, undefined]);
    Object.assign(deps, { sealer });
  });
});
