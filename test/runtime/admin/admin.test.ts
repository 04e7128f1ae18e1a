import { eq, like } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { authenticators } from '../../../db/schema/identity/authenticators.ts';
import { loginLocks } from '../../../db/schema/identity/login-locks.ts';
import { idempotencyKeys } from '../../../db/schema/jobs/idempotency-keys.ts';
import { dispatcherSessions } from '../../../db/schema/routing/dispatcher-sessions.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { addSeconds } from '../../../shared/kernel/clock.ts';
import { createSealer, type Sealer } from '../../../shared/kernel/crypto/sealing.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { parseConfig } from '../../../shared/runtime/config/config.ts';
import { runAdmin } from '../../support/admin-command.ts';
import {
  addDispatcher,
  addMember,
  addUser,
  audited,
  domainsPath,
  logIn,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import { addEnrolled, addTwoFactorDomain, enrol, logIn2fa } from '../../support/identity/second-factor.ts';
import { newSecretKey, newSigningKey } from '../../support/identity/signing-keys.ts';
import { codeOf } from '../../support/identity/totp-device.ts';
import type { Json } from '../../support/portal.ts';

const formerKey = newSecretKey();
const world = useWorld({ secretKeys: [formerKey] });
let env: NodeJS.ProcessEnv;

beforeAll(() => {
  env = {
    DATABASE_URL: world.portal.databaseUrl,
    SECRET_KEY: formerKey,
    AGGREGATOR_JWT_SSL_KEY: newSigningKey(),
  };
});

const nameOf = (user: Json) => `${world.domain.small_name}/${user.name}`;
const failLogins = async (user: Json) => {
  for (let n = 0; n < 5; n++) await logIn(world.portal, world.domain, user, { password: 'a wrong guess' });
  expect((await logIn(world.portal, world.domain, user)).status).toBe(429);
};

/** Each starts several processes. */
const slow = { timeout: 60_000 };

describe('npm run admin', slow, () => {
  it('reset-password prints a password for one login, ends sessions and removes locks', async () => {
    const member = await addMember(world, ['sites.read']);
    await failLogins(member.user);
    const { result, events } = await audited(world.portal, () =>
      runAdmin(env, ['reset-password', nameOf(member.user).toUpperCase()]),
    );
    expect([result.code, result.stderr]).toEqual([0, '']);
    const [, password] = /is: (\S+)$/m.exec(result.stdout) ?? [];
    expect(password).toHaveLength(24);
    expect((await member.ask('GET /api/userinfo')).status).toBe(401);
    expect((await logIn(world.portal, world.domain, member.user)).status).toBe(401);
    const { status, body } = await logIn(world.portal, world.domain, member.user, { password });
    expect([status, body.user?.must_change_password]).toEqual([200, true]);
    expect(events).toMatchObject([
      {
        category: 'system',
        event: 'portal.EntityAction',
        action: 'reset_password',
        user_name: 'break-glass',
        user_id: null,
        object_type: 'user',
        object_id: member.user.id,
        object_name: member.user.name,
      },
    ]);
    expect(JSON.stringify(events)).not.toContain(password);
  });

  it('reset-password --password reads the first line of standard input, which needs no later change', async () => {
    const user = await addUser(world.admin, world.domain, { must_change_password: true });
    const typed = 'nine brass kettles sing';
    const { code, stdout } = await runAdmin(
      env,
      ['reset-password', nameOf(user), '--password'],
      `${typed}\nmore\n`,
    );
    expect(code).toBe(0);
    expect(stdout).not.toContain(typed);
    const { body } = await logIn(world.portal, world.domain, user, { password: typed });
    expect(body.user?.must_change_password).toBe(false);
  });

  it('unlock removes the locks of every network, and keeps password and sessions', async () => {
    const { user, ask } = await addMember(world, []);
    await failLogins(user);
    const { result, events } = await audited(world.portal, () => runAdmin(env, ['unlock', nameOf(user)]));
    expect([result.code, result.stderr]).toEqual([0, '']);
    expect(events).toMatchObject([{ action: 'unlock', user_name: 'break-glass', object_id: user.id }]);
    const rows = await world.portal.db
      .select()
      .from(loginLocks)
      .where(like(loginLocks.account, `%${user.name}`));
    expect(rows.map(({ network, failures }) => [network, failures]).sort()[0]).toEqual(['*', 0]);
    expect((await logIn(world.portal, world.domain, user)).status).toBe(200);
    expect((await ask('GET /api/userinfo')).status).toBe(200);
  });

  it('reset-2fa deletes the second factor and its recovery codes, and reports when neither exists', async () => {
    const domain = await addTwoFactorDomain(world.admin);
    const { user, recovery } = await addEnrolled(world, domain, world.portal.deps.clock());
    const name = `${domain.small_name}/${user.name}`;
    const { result, events } = await audited(world.portal, () => runAdmin(env, ['reset-2fa', name]));
    expect([result.code, result.stderr]).toEqual([0, '']);
    expect(result.stdout).toBe(`The second factor of ${name} is removed, with its recovery codes.\n`);
    expect(events).toMatchObject([
      { action: 'reset_two_factor', user_name: 'break-glass', object_id: user.id },
    ]);
    expect((await logIn2fa(world.portal, domain, user, { code: recovery[0] })).status).toBe(401);
    expect((await logIn2fa(world.portal, domain, user)).body).toHaveProperty('enrolment');
    const again = await runAdmin(env, ['reset-2fa', name]);
    expect([again.code, again.stdout]).toEqual([0, `${name} has no second factor.\n`]);
    await world.admin(`DELETE ${domainsPath}/${domain.id}`);
  });

  it('reports an error in one line, and changes nothing', async () => {
    const user = await addUser(world.admin, world.domain);
    const service = await addUser(world.admin, world.domain, { kind: 'service', password: null });
    const wrong: [string[], string, RegExp, string?][] = [
      [['reset-password', `${world.domain.small_name}/nobody`], 'nobody', /^There is no user \S+\/nobody$/],
      [['unlock', 'nowhere/admin'], 'nowhere', /^There is no user nowhere\/admin$/],
      [['unlock', 'admin'], 'no domain', /^<domain>\/<user> is expected/],
      [['reset-password', nameOf(service)], 'a service', /is a service, which has no password$/],
      [
        ['reset-password', nameOf(user), '--password'],
        'short',
        /^The password must have at least 15 characters$/,
        'short\n',
      ],
      [['reset-password', nameOf(user), '--password'], 'none', /first line of standard input/],
      [['reset-password', nameOf(user), '--pasword'], 'a slip', /^Unknown option '--pasword'/],
    ];
    const { events } = await audited(world.portal, async () => {
      const ends = await Promise.all(wrong.map(([args, , , input]) => runAdmin(env, args, input)));
      for (const [at, { code, stdout, stderr }] of ends.entries()) {
        const [, what, line] = wrong[at] ?? [];
        expect([what, code, stdout]).toEqual([what, 1, '']);
        expect(stderr.trimEnd()).toMatch(line ?? '');
      }
    });
    expect(events).toEqual([]);
    expect((await logIn(world.portal, world.domain, user)).status).toBe(200);
    const misused = [
      [],
      ['paint'],
      ['unlock'],
      ['reseal', 'x'],
      ['unlock', 'a/b', 'c'],
      ['unlock', 'a/b', '--password'],
    ];
    for (const { stderr } of await Promise.all(misused.map((args) => runAdmin(env, args))))
      expect(stderr).toMatch(/^usage: npm run admin/);
  });

  it.each(['--help', '-h'])('shows its usage by %s, with exit code 0', async (option) => {
    const { code, stdout, stderr } = await runAdmin(env, [option]);
    expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(/^usage: npm run admin/), '']);
  });

  it('rotate-keys prints keys to store: first for decryption everywhere, then for encryption', async () => {
    const { result, events } = await audited(world.portal, () => runAdmin(env, ['rotate-keys']));
    expect([result.code, result.stderr]).toEqual([0, '']);
    const [known, used] = result.stdout
      .split(/^Restart all processes and wait .*:$/m)
      .map((round) =>
        Object.fromEntries([...round.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value])),
      );
    const config = parseConfig({ ...env, ...used });
    const before = parseConfig({ ...env, ...known });
    expect(before.secretKey).toEqual([...config.secretKey].reverse());
    expect([before.aggregatorJwtSslKey, before.aggregatorJwtSslKeySecond]).toEqual([
      config.aggregatorJwtSslKeySecond,
      config.aggregatorJwtSslKey,
    ]);
    expect(config.secretKey).toEqual([expect.stringMatching(/^.{44}$/), formerKey]);
    expect(config.aggregatorJwtSslKeySecond).toBe(env.AGGREGATOR_JWT_SSL_KEY?.trim());
    expect(config.aggregatorJwtSslKey).not.toBe(config.aggregatorJwtSslKeySecond);
    expect(events).toMatchObject([
      { action: 'rotate_keys', user_name: 'break-glass', details: { written: false } },
    ]);
    expect(JSON.stringify(events)).not.toContain(config.secretKey[0]);
  });
});

/** One value for each sealed column, read back by its context. */
async function sealEverything(sealer: Sealer) {
  const { db } = world.portal;
  const { id: dispatcherId } = await addDispatcher(world.admin, world.farm);
  const { id: domainId } = world.domain;
  const [admin] = (await world.admin(`GET ${usersPath(world.domain)}`)).body.items;
  const [session, key] = [newId(), newId()];
  const places = {
    health: { table: 'dispatchers', row: dispatcherId, column: 'health_key' },
    session: { table: 'dispatcher_sessions', row: `${dispatcherId}/aggregator`, column: 'sealed_key' },
    idempotency: { table: 'idempotency_keys', row: `${admin.id}/${key}`, column: 'sealed_body' },
    bind: { table: 'authenticators', row: domainId, column: 'params.bind_password' },
  };
  const seal = (place: keyof typeof places) => sealer.seal(`the ${place} secret`, places[place]);
  await db
    .update(dispatchers)
    .set({ health_key: await seal('health') })
    .where(eq(dispatchers.id, dispatcherId));
  await db.insert(dispatcherSessions).values({
    id: session,
    dispatcher_id: dispatcherId,
    subject: 'aggregator',
    sealed_key: await seal('session'),
    expires_at: addSeconds(new Date(), 600),
  });
  await db.insert(idempotencyKeys).values({
    user_id: admin.id,
    key,
    fingerprint: 'x',
    created_at: new Date(),
    sealed_body: await seal('idempotency'),
  });
  await db
    .update(authenticators)
    .set({ params: { base_dn: 'dc=x', bind_password: await seal('bind') } })
    .where(eq(authenticators.id, domainId));
  return async () => {
    const [one] = await db.select().from(dispatchers).where(eq(dispatchers.id, dispatcherId));
    const [two] = await db.select().from(dispatcherSessions).where(eq(dispatcherSessions.id, session));
    const [three] = await db.select().from(idempotencyKeys).where(eq(idempotencyKeys.key, key));
    const [four] = await db.select().from(authenticators).where(eq(authenticators.id, domainId));
    expect(four?.params.base_dn).toBe('dc=x');
    const values = [one?.health_key, two?.sealed_key, three?.sealed_body, String(four?.params.bind_password)];
    return Object.values(places).map((place, at) => ({ place, sealed: values[at] ?? '' }));
  };
}

describe('npm run admin -- reseal', slow, () => {
  /** All keys of the installation, the current one first: a value that one test has sealed is still there in the next. */
  const keys = [formerKey];
  const withNewKey = () => {
    const newKey = newSecretKey();
    keys.unshift(newKey);
    return { newKey, all: { ...env, SECRET_KEY: keys.join(',') } };
  };

  it('seals every stored value with the first key, so that the others can be removed; a second run changes nothing', async () => {
    const { newKey, all } = withNewKey();
    const [former, alone] = [await createSealer([formerKey]), await createSealer([newKey])];
    const read = await sealEverything(former);
    const { result, events } = await audited(world.portal, () => runAdmin(all, ['reseal']));
    expect([result.code, result.stderr]).toEqual([0, '']);
    for (const place of [
      'dispatchers.health_key',
      'dispatcher_sessions.sealed_key',
      'idempotency_keys.sealed_body',
    ])
      expect(result.stdout).toContain(`${place}: 1 resealed, 0 remain\n`);
    expect(result.stdout).toContain('authenticators.params.bind_password: 1 resealed, 0 remain\n');
    expect(events).toMatchObject([
      { action: 'reseal', details: { 'dispatchers.health_key': { resealed: 1, unreadable: 0, left: 0 } } },
    ]);
    const texts = await Promise.all((await read()).map(({ sealed, place }) => alone.open(sealed, place)));
    expect(texts).toEqual([
      'the health secret',
      'the session secret',
      'the idempotency secret',
      'the bind secret',
    ]);
    const values = await read();
    expect((await runAdmin(all, ['reseal'])).stdout).not.toMatch(/[1-9]\d* resealed/);
    expect(await read()).toEqual(values);
  });

  it('keeps devices and unfinished enrolments valid', async () => {
    const domain = await addTwoFactorDomain(world.admin);
    const { deps } = world.portal;
    const { user, secret } = await addEnrolled(world, domain, deps.clock());
    const other = await addUser(world.admin, domain);
    const { body } = await logIn2fa(world.portal, domain, other);
    const { newKey, all } = withNewKey();
    const { stdout } = await runAdmin(all, ['reseal']);
    expect(stdout).toContain('second_factors.sealed_secret: 1 resealed, 0 remain\n');
    expect(stdout).toMatch(/login_challenges\.sealed_secret: [1-9] resealed, 0 remain\n/);
    const { sealer } = deps;
    // The isolate that was started with the new key alone.
    Object.assign(deps, { sealer: await createSealer([newKey]) });
    const later = addSeconds(deps.clock(), 30);
    expect((await logIn2fa(world.portal, domain, user, { code: codeOf(secret, later) })).status).toBe(200);
    expect((await enrol(world.portal, domain, other, body, deps.clock())).status).toBe(200);
    Object.assign(deps, { sealer });
    await world.admin(`DELETE ${domainsPath}/${domain.id}`);
  });

  it('continues an interrupted run over several pages, and keeps values that no key opens', async () => {
    const { db } = world.portal;
    const { newKey, all } = withNewKey();
    const [former, current, lost] = await Promise.all(
      [formerKey, newKey, newSecretKey()].map((key) => createSealer([key])),
    );
    if (!former || !current || !lost) throw new Error('no sealers');
    const { id: dispatcherId } = await addDispatcher(world.admin, world.farm);
    const rows = await Promise.all(
      Array.from({ length: 1_101 }, async (_, at) => {
        const place = { table: 'dispatcher_sessions', row: `${dispatcherId}/s${at}`, column: 'sealed_key' };
        const sealer = at === 700 ? lost : at < 300 ? current : former;
        return {
          id: newId(),
          dispatcher_id: dispatcherId,
          subject: `s${at}`,
          sealed_key: await sealer.seal(`secret ${at}`, place),
          expires_at: new Date(),
        };
      }),
    );
    await db.delete(dispatcherSessions);
    await db.insert(dispatcherSessions).values(rows);
    const { code, stdout, stderr } = await runAdmin(all, ['reseal']);
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toContain(
      'dispatcher_sessions.sealed_key: 800 resealed, 1 remain, 1 of them cannot be opened with any key\n',
    );
    const kept = new Map(
      (await db.select().from(dispatcherSessions)).map((row) => [row.subject, row.sealed_key]),
    );
    expect(rows.filter(({ subject, sealed_key }) => kept.get(subject) === sealed_key).length).toBe(301);
    const place = { table: 'dispatcher_sessions', row: `${dispatcherId}/s1100`, column: 'sealed_key' };
    expect(await current.open(kept.get('s1100') ?? '', place)).toBe('secret 1100');
  });
});
