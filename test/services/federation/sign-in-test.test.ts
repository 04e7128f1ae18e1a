import { beforeAll, describe, expect, it } from 'vitest';
import { signInTests } from '../../../db/schema/identity/providers/sign-in-tests.ts';
import { audited, base, domainsPath, usersPath, useStand } from '../../support/factories.ts';
import {
  type Administrator,
  createSignInTest,
  signInAdministrator,
  signInTestsOf,
  testSignIn,
} from '../../support/federation/administrators.ts';
import { clientSecret } from '../../support/federation/openid-provider.ts';
import { staff, startFederationStand } from '../../support/federation/stand.ts';
import type { Json } from '../../support/portal.ts';

describe('a test sign-in', () => {
  const stand = useStand(() => startFederationStand());
  let admin: Administrator;

  beforeAll(async () => {
    admin = await signInAdministrator(stand.world, stand.browser());
  });

  const tests = () => signInTestsOf(stand);
  const ask = (route: string) => admin.ask(route);
  const begin = () => createSignInTest(admin, stand);
  const tested = async (subject: string, claims: Json = {}): Promise<Json> =>
    (await testSignIn(stand.world, admin, stand, { subject, claims })).result;
  const users = async (): Promise<number> =>
    (await stand.world.admin(`GET ${usersPath(stand.domain)}`)).body.total;
  const sessionsOf = () => stand.world.admin(`GET ${base}/login_sessions?domain_id=${stand.domain.id}`);

  it('shows the claims and the decision, and creates neither a session nor a user', async () => {
    const before = [await users(), (await sessionsOf()).body.total];
    const { events } = await audited(stand.world.portal, async () => {
      const result = await tested('anna', {
        name: 'Anna',
        email: 'anna@example.com',
        groups: [staff, 'other'],
      });
      expect(result).toMatchObject({
        ...{ admitted: true, reason: null, detail: 'The person can sign in', remedy: null, facts: {} },
        claims: { sub: '"anna"', name: '"Anna"', groups: '["staff","other"]', nonce: '•••' },
        person: {
          ...{ subject: 'anna', issuer: stand.provider.issuer, login_name: 'anna' },
          ...{ groups: [staff], groups_sent: 2, second_factor: false, is_known: false },
        },
      });
    });
    expect([await users(), (await sessionsOf()).body.total]).toEqual(before);
    expect(events.map(({ event }: Json) => event)).not.toContain('portal.UserLogin');
    const [stored] = await stand.world.portal.ownerDb.select().from(signInTests);
    expect(stored?.sealed_result).not.toContain('anna');
    // The session of the administrator stays.
    expect((await ask('GET /api/userinfo')).status).toBe(200);
  });

  it('names the rule that refuses, what was expected and found, and what can be changed', async () => {
    await stand.set({ required_claims: ['email=@corp.example'] });
    expect(await tested('bella', { email: 'bella@corp.example', email_verified: false })).toMatchObject({
      ...{ admitted: false, reason: 'claim_not_allowed' },
      remedy: 'Add the value to the required claims if such people may sign in',
      facts: { claim: 'email', expected: '@corp.example', found: 'bella@corp.example' },
      claims: { email: '"bella@corp.example"', email_verified: 'false' },
    });
    await stand.set({ required_claims: [] });
    expect(await tested('carl', { groups: ['strangers'] })).toMatchObject({
      ...{ admitted: false, reason: 'no_registered_group' },
      remedy: 'Register one of the groups that the provider sends, or check the claim of the groups',
      person: { groups: [], groups_sent: 1 },
    });
  });

  it('shows a request that cannot begin, and a person who cancels', async () => {
    await stand.set({ issuer: `${stand.provider.issuer}/other`, client_secret: clientSecret });
    expect(await tested('dora')).toMatchObject({ reason: 'discovery', claims: null, person: null });
    await stand.set({ issuer: stand.provider.issuer, client_secret: clientSecret });
    const test = await begin();
    stand.provider.atKeyboard = null;
    admin.browser.cookies.delete(stand.provider.issuer);
    await admin.browser.follow(`${stand.world.portal.deps.baseUrl}${test.url}`, (to) =>
      to.includes('/console/'),
    );
    expect((await ask(`GET ${tests()}/${test.id}`)).body.result).toMatchObject({
      ...{ reason: 'refused', claims: null },
      facts: { endpoint: 'authorization', provider_code: 'access_denied' },
    });
  });

  it('begins and is read only in the session that has asked for it, once, for ten minutes', async () => {
    const { baseUrl } = stand.world.portal.deps;
    const other = await signInAdministrator(stand.world, stand.browser());
    const test = await begin();
    expect((await stand.browser().open(`${baseUrl}${test.url}`)).status).toBe(404);
    expect((await other.browser.open(`${baseUrl}${test.url}`)).status).toBe(404);
    expect((await other.ask(`GET ${tests()}/${test.id}`)).status).toBe(404);
    expect((await admin.browser.open(`${baseUrl}${test.url}`)).status).toBe(302);
    stand.world.portal.advance(601);
    expect((await admin.browser.open(`${baseUrl}${test.url}`)).status).toBe(404);
    expect((await ask(`GET ${tests()}/${test.id}`)).status).toBe(404);
    stand.world.portal.advance(-601);
  });

  it('is refused for other domains, disabled ones, and callers without a browser session', async () => {
    const { domain } = stand.world;
    expect((await ask(`POST ${domainsPath}/${domain.id}/sign_in_tests`)).status).toBe(404);
    await stand.set({}, { state: 'disabled' });
    expect((await ask(`POST ${tests()}`)).body).toMatchObject({ status: 409, reason: 'disabled' });
    await stand.set({}, { state: 'visible' });
  });
});
