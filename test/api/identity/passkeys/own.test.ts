import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Ask,
  addDomain,
  addMember,
  addUser,
  adminOf,
  asker,
  audited,
  goodPassword,
  logIn,
  usersPath,
  useWorld,
} from '../../../support/factories.ts';
import { holdClock, logIn2fa, said } from '../../../support/identity/second-factor.ts';
import { codeOf } from '../../../support/identity/totp-device.ts';
import type { Forgery } from '../../../support/passkeys/authenticator.ts';
import {
  addPasskey,
  assertionOf,
  pageAuthenticator,
  passkeyPath,
  signInWith,
} from '../../../support/passkeys/passkeys.ts';
import { baseUrl, type Json } from '../../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);
const refused = [401, 'invalid_credentials'];
const password = { password: goodPassword };
let domain: Json;
let user: Json;
let ask: Ask;
let device = pageAuthenticator();

beforeEach(async () => {
  domain = await addDomain(admin);
  user = await addUser(admin, domain);
  device = pageAuthenticator();
  ask = asker(world.portal, (await logIn(world.portal, domain, user)).body.token);
});

const proofBy = async (credential: Parameters<typeof assertionOf>[2]) => ({
  assertion: await assertionOf(world.portal, device, credential),
});

describe('a registration', () => {
  it('returns options for a discoverable passkey with verification of the user', async () => {
    const { body } = await ask(`POST ${passkeyPath}/options`, password);
    expect(body).toMatchObject({
      rp: { id: new URL(baseUrl).hostname },
      user: { name: `${domain.small_name}/${user.name}` },
      pubKeyCredParams: [{ alg: -8 }, { alg: -7 }, { alg: -257 }],
      excludeCredentials: [],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
    });
    expect(Buffer.from(body.user.id, 'base64url')).toHaveLength(32);
    expect(JSON.stringify(body.user.id)).not.toContain(user.name);
  });

  it('stores the passkey, returns recovery codes with the first one, and is audited', async () => {
    const { result, events } = await audited(world.portal, () => addPasskey(ask, device));
    const { status, body } = result.answer;
    expect([status, body.recovery_codes.length]).toEqual([200, 10]);
    expect(events).toMatchObject([
      { action: 'add_passkey', object_id: user.id, category: 'auth', details: { passkey: 'Laptop' } },
    ]);
    const { items } = (await ask(`GET ${passkeyPath}`)).body;
    expect(items).toEqual([
      {
        ...{ id: body.id, name: 'Laptop', synced: true, backed_up: true, transports: ['internal'] },
        ...{ created_at: expect.any(String), last_used_at: null, blocked_at: null },
      },
    ]);
    const options = await ask(`POST ${passkeyPath}/options`, await proofBy(result.credential));
    expect(options.body.excludeCredentials).toMatchObject([{ id: result.credential.id }]);
    expect(options.body.user.id).toBe(result.credential.userHandle);
    const second = device.create(options.body);
    const added = await ask(`POST ${passkeyPath}`, { name: 'Phone', registration: second.response });
    expect([added.status, added.body.recovery_codes]).toEqual([200, undefined]);
    expect((await signInWith(world.portal, device, second.credential)).status).toBe(200);
  });

  it.each([-7, -8, -257] as const)('accepts keys of the algorithm %i', async (alg) => {
    const { credential, answer } = await addPasskey(ask, device, { forged: { alg } });
    expect(answer.status).toBe(200);
    expect((await signInWith(world.portal, device, credential)).status).toBe(200);
  });

  it.each<[string, Forgery]>([
    ['another algorithm', { alg: -35 }],
    ['another origin', { origin: 'https://evil.test' }],
    ['another relying party', { rpId: 'evil.test' }],
    ['another challenge', { challenge: 'AAAAAAAAAAAAAAAAAAAAAA' }],
    ['the type of a sign-in', { type: 'webauthn.get' }],
    ['a frame of another site', { crossOrigin: true }],
    ['no user present', { flags: { up: false } }],
    ['no user verified', { flags: { uv: false } }],
    ['a backup without eligibility', { flags: { be: false, bs: true } }],
    ['an attestation of a TPM', { fmt: 'tpm' }],
    ['an attestation of SafetyNet', { fmt: 'android-safetynet' }],
    ['an attestation with certificates', { fmt: 'packed', x5c: true }],
  ])('refuses a response with %s', async (_, forged) => {
    expect(said((await addPasskey(ask, device, { forged })).answer)).toEqual(refused);
    expect((await ask(`GET ${passkeyPath}`)).body.items).toEqual([]);
  });

  it('belongs to its session, works once and for 300 seconds', async () => {
    const options = (await ask(`POST ${passkeyPath}/options`, password)).body;
    const body = { name: 'Laptop', registration: device.create(options).response };
    const other = asker(world.portal, (await logIn(world.portal, domain, user)).body.token);
    expect(said(await other(`POST ${passkeyPath}`, body))).toEqual(refused);
    expect((await ask(`POST ${passkeyPath}`, body)).status).toBe(200);
    expect(said(await ask(`POST ${passkeyPath}`, body))).toEqual(refused);
    const late = (await ask(`POST ${passkeyPath}/options`, {
      ...password,
      code: (await ask(`GET ${passkeyPath}`)).body.none,
    })) as Json;
    expect(said(late)).toEqual([403, 'two_factor_required']);
  });

  it('refuses a credential that is registered already, also by another user', async () => {
    const first = (await ask(`POST ${passkeyPath}/options`, password)).body;
    const { credential, response } = device.create(first);
    expect((await ask(`POST ${passkeyPath}`, { name: 'a', registration: response })).status).toBe(200);
    const member = await addUser(admin, domain);
    const other = asker(world.portal, (await logIn(world.portal, domain, member)).body.token);
    const { body: options } = await other(`POST ${passkeyPath}/options`, password);
    const copy = device.create(options, { credential });
    const answer = await other(`POST ${passkeyPath}`, { name: 'b', registration: copy.response });
    expect(said(answer)).toEqual([409, 'already_exists']);
  });

  it('requires the password, or a code as well if the account has a second factor', async () => {
    expect(said(await ask(`POST ${passkeyPath}/options`, { password: 'wrong' }))).toEqual(refused);
    const { answer, credential } = await addPasskey(ask, device);
    const [code] = answer.body.recovery_codes;
    const options = (body: object) => ask(`POST ${passkeyPath}/options`, body);
    expect(said(await options(password))).toEqual([403, 'two_factor_required']);
    expect(said(await options({ ...password, code: '000000' }))).toEqual(refused);
    expect((await options({ ...password, code })).status).toBe(200);
    expect(said(await options({ ...password, code }))).toEqual(refused);
    expect((await options(await proofBy(credential))).status).toBe(200);
    const stranger = await addMember({ ...world, domain }, []);
    const foreign = await stranger.ask(`POST ${passkeyPath}/options`, await proofBy(credential));
    expect(said(foreign)).toEqual(refused);
  });

  it('ends at 20 passkeys', async () => {
    let { credential } = await addPasskey(ask, device);
    for (let count = 2; count <= 20; count += 1)
      ({ credential } = await addPasskey(ask, device, { proof: (await proofBy(credential)) as never }));
    const answer = await ask(`POST ${passkeyPath}/options`, await proofBy(credential));
    expect([answer.status, answer.body.reason]).toEqual([409, 'too_many_passkeys']);
  });

  it('is refused for a service token', async () => {
    const member = await addMember({ ...world, domain }, ['users.read']);
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    await admin('PUT /api/webui/aggregator/tconfig', { service_tokens: { own: { value: true } } });
    const { body } = await member.ask('POST /api/userinfo/service_tokens', {
      ...{ name: 'x', expires_at, permissions: ['users.read'], proof: { password: goodPassword } },
    });
    const token = asker(world.portal, body.token);
    expect(said(await token(`GET ${passkeyPath}`))).toEqual([409, 'invalid_state']);
  });
});

describe('the passkeys of an account', () => {
  it('are renamed and deleted by their owner only', async () => {
    const { credential, answer } = await addPasskey(ask, device);
    const { id } = answer.body;
    const stranger = await addMember({ ...world, domain }, []);
    expect((await stranger.ask(`PATCH ${passkeyPath}/${id}`, { name: 'mine' })).status).toBe(404);
    expect((await stranger.ask(`DELETE ${passkeyPath}/${id}`, password)).status).toBe(404);
    expect((await ask(`PATCH ${passkeyPath}/${id}`, { name: 'Desk' })).body.name).toBe('Desk');
    expect(said(await ask(`DELETE ${passkeyPath}/${id}`, password))).toEqual([403, 'two_factor_required']);
    const proof = await proofBy(credential);
    const { result, events } = await audited(world.portal, () => ask(`DELETE ${passkeyPath}/${id}`, proof));
    expect(result.status).toBe(204);
    expect(events).toMatchObject([{ action: 'remove_passkey', details: { passkey: 'Desk' } }]);
    expect((await signInWith(world.portal, device, credential)).status).toBe(401);
    expect((await logIn(world.portal, domain, user)).status).toBe(200);
  });

  it('are revoked by an administrator, one by one or with all second factors', async () => {
    const { answer } = await addPasskey(ask, device);
    const access = () => admin(`GET /api/webui/aggregator/users/${user.id}/access`);
    const [passkey] = (await access()).body.passkeys;
    expect(passkey).toMatchObject({ id: answer.body.id, name: 'Laptop' });
    const path = `/api/webui/aggregator/users/${user.id}/passkeys`;
    const clerk = await addMember(world, ['users.read']);
    expect((await clerk.ask(`DELETE ${path}/${passkey.id}`)).status).toBe(403);
    const { result, events } = await audited(world.portal, () => admin(`DELETE ${path}/${passkey.id}`));
    expect(result.status).toBe(204);
    expect(events).toMatchObject([{ action: 'remove_passkey', object_id: user.id }]);
    expect((await admin(`DELETE ${path}/${passkey.id}`)).status).toBe(404);
    expect((await access()).body.passkeys).toEqual([]);
    await addPasskey(ask, device);
    const own = `${usersPath(domain)}/${user.id}`;
    expect((await admin(`GET ${own}`)).body.two_factor_enrolled).toBe(true);
    await admin(`PATCH ${own}`, { two_factor_enrolled: false });
    expect((await access()).body.passkeys).toEqual([]);
    expect((await logIn(world.portal, domain, user)).status).toBe(200);
  });

  it('of an administrator with more permissions cannot be revoked by another one', async () => {
    const boss = await addMember({ ...world, domain }, ['users.read', 'sites.read']);
    const { answer } = await addPasskey(boss.ask, device);
    const clerk = await addMember(world, ['users.read', 'users.update']);
    const path = `/api/webui/aggregator/users/${boss.user.id}/passkeys/${answer.body.id}`;
    expect(said(await clerk.ask(`DELETE ${path}`))).toEqual([403, 'forbidden']);
  });

  it('keep the recovery codes when the authenticator app is removed, and need one for a new app', async () => {
    const clock = holdClock(world.portal);
    const { answer } = await addPasskey(ask, device);
    const [first] = answer.body.recovery_codes;
    const enrol = (body: object) => ask('POST /api/userinfo/two_factor', body);
    expect(said(await enrol(password))).toEqual([403, 'two_factor_required']);
    const started = await enrol({ ...password, recovery_code: first });
    expect(started.status).toBe(200);
    const code = () => codeOf(started.body.secret, clock.now());
    const { recovery_codes } = (await enrol({ code: code() })).body;
    expect(recovery_codes).toHaveLength(10);
    clock.move(30);
    const removed = await ask('DELETE /api/userinfo/two_factor', { ...password, code: code() });
    expect(removed.status).toBe(204);
    const challenge = await logIn2fa(world.portal, domain, user);
    expect(challenge.body).toMatchObject({ result: 'challenge', methods: ['passkey'] });
    const given = { challenge_id: challenge.body.challenge_id, code: recovery_codes[0] };
    expect((await logIn2fa(world.portal, domain, user, given)).status).toBe(200);
  });
});
