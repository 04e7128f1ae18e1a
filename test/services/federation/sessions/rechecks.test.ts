import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import * as client from 'openid-client';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { providerGrants } from '../../../../db/schema/identity/providers/grants.ts';
import { openGrant } from '../../../../shared/identity/providers/grant.ts';
import { addGroup, audited, base, usersPath, useStand } from '../../../support/factories.ts';
import type { Browser } from '../../../support/federation/browser.ts';
import { checksOf } from '../../../support/federation/checks.ts';
import { clientSecret } from '../../../support/federation/openid-provider.ts';
import { listenOnLoopback, nativeProgram, sendConsent } from '../../../support/federation/programs.ts';
import { staff, startFederationStand } from '../../../support/federation/stand.ts';
import type { Json } from '../../../support/portal.ts';
import { secretKey, startSidecar } from '../../../support/processes/sidecar-process.ts';

describe('the regular check of a session at its provider', () => {
  const stand = useStand(() => startFederationStand({ secretKeys: [secretKey] }));
  let round: ReturnType<typeof checksOf>;
  let made = 0;

  beforeAll(async () => {
    await stand.set({ recheck: true, prompt: 'consent' });
    round = checksOf(stand.world.portal);
  });
  beforeEach(async () => {
    await stand.world.portal.ownerDb.delete(providerGrants);
  });

  const grants = () => stand.world.portal.db.select().from(providerGrants);
  async function signIn(given: Json = {}): Promise<{ name: string; browser: Browser; token: string }> {
    const name = `person-${++made}`;
    stand.provider.people.set(name, { preferred_username: name, groups: [staff], ...given });
    const browser = await stand.signIn(name);
    return { name, browser, token: (await browser.send('POST /signin/token')).body.token };
  }
  const isLive = async ({ token }: { token: string }): Promise<boolean> =>
    (await stand.world.portal.send('GET /api/userinfo', { token })).status === 200;
  const groupsOf = async ({ name }: { name: string }): Promise<string[]> => {
    const found = (await stand.world.admin(`GET ${usersPath(stand.domain)}?search=${name}`)).body.items[0];
    return (await stand.world.admin(`GET ${usersPath(stand.domain)}/${found.id}`)).body.groups;
  };
  /** The provider takes all grants back, as its administrators do. */
  async function revoke(): Promise<void> {
    const { sealer } = stand.world.portal.deps;
    for (const { id, sealed_grant } of await grants()) {
      const { refreshToken } = await openGrant(sealer, id, sealed_grant);
      await (await stand.provider.provider.RefreshToken.find(refreshToken))?.destroy();
    }
  }

  it('follows the groups of the provider, and keeps the session', async () => {
    const other = await addGroup(stand.world.admin, stand.domain, { name: 'night shift' });
    const person = await signIn();
    expect(await groupsOf(person)).toEqual([stand.group.id]);
    stand.provider.people.set(person.name, { preferred_username: person.name, groups: ['night shift'] });
    await round();
    expect(await groupsOf(person)).toEqual([other.id]);
    expect(await isLive(person)).toBe(true);
    const [grant] = await grants();
    expect(grant?.claim).toBeNull();
    expect((grant?.next_check_at.getTime() ?? 0) - (grant?.checked_at.getTime() ?? 0)).toBe(900_000);
  });

  it('ends the session of a revoked grant, which is audited', async () => {
    const person = await signIn();
    await revoke();
    const kept = await signIn();
    const { events } = await audited(stand.world.portal, () => round());
    expect([await isLive(person), await isLive(kept)]).toEqual([false, true]);
    expect(events).toMatchObject([
      {
        ...{ event: 'portal.UserLogout', user_name: person.name },
        details: { by: 'provider', reason: 'revoked', sessions: 1 },
      },
    ]);
    expect(await grants()).toHaveLength(1);
  });

  it('also ends the sessions of programs, after the browser session that allowed them has ended', async () => {
    const { browser } = await signIn();
    const config = await nativeProgram(stand);
    const listener = await listenOnLoopback();
    const verifier = client.randomPKCECodeVerifier();
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: listener.redirectUri,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const sent = await sendConsent(browser, await browser.follow(url.href), 'allow');
    await fetch(sent.headers.get('location') ?? '');
    const tokens = await client.authorizationCodeGrant(config, await listener.received, {
      pkceCodeVerifier: verifier,
    });
    listener.close();
    await stand.world.portal.send('POST /api/auth/v7.0/logout', {
      token: (await browser.send('POST /signin/token')).body.token,
    });
    const program = { token: tokens.access_token };
    await round();
    expect(await isLive(program)).toBe(true);
    await revoke();
    await round();
    expect(await isLive(program)).toBe(false);
  });

  it('ends the session of a person who is in no registered group any more', async () => {
    const person = await signIn();
    stand.provider.people.set(person.name, { preferred_username: person.name, groups: ['strangers'] });
    await round();
    expect(await isLive(person)).toBe(false);
  });

  it('lets the session continue while the provider does not answer, for two hours', async () => {
    const person = await signIn();
    await stand.set({ issuer: stand.provider.issuer, client_secret: 'a wrong secret' });
    await round();
    expect(await isLive(person)).toBe(true);
    const [grant] = await grants();
    expect(grant?.claim).toBeNull();
    const { ownerDb } = stand.world.portal;
    // The sidecar was stopped for a day: that is no failure of the provider.
    await ownerDb
      .update(providerGrants)
      .set({ checked_at: sql`now() - interval '1 day'`, failing_since: null });
    await round();
    expect(await isLive(person)).toBe(true);
    await ownerDb.update(providerGrants).set({ failing_since: sql`now() - interval '121 minutes'` });
    await round();
    expect(await isLive(person)).toBe(false);
    await stand.set({ issuer: stand.provider.issuer, client_secret: clientSecret });
  });

  it('ends a session after two hours if its grant cannot be read', async () => {
    const person = await signIn();
    const { ownerDb } = stand.world.portal;
    await ownerDb.update(providerGrants).set({ sealed_grant: 'of a lost key' });
    await round();
    expect(await isLive(person)).toBe(true);
    await ownerDb.update(providerGrants).set({ failing_since: sql`now() - interval '121 minutes'` });
    await round();
    expect(await isLive(person)).toBe(false);
  });

  it('is done by the sidecar while it runs', async () => {
    const person = await signIn();
    await revoke();
    const { ownerDb, database } = stand.world.portal;
    await ownerDb.update(providerGrants).set({ next_check_at: sql`now() - interval '1 second'` });
    const folder = await mkdtemp(join(tmpdir(), 'rechecks-'));
    const sidecar = await startSidecar({ databaseUrl: database.sidecarUrl, folder });
    await expect.poll(() => isLive(person), { timeout: 30_000 }).toBe(false);
    const { errors } = await sidecar.stop();
    expect(errors).not.toContain('checked at its provider');
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  it('asks once, also if two sidecars do it at the same time', async () => {
    await signIn();
    let asked = 0;
    const count = () => void asked++;
    stand.provider.provider.on('grant.success', count);
    await round({}, 2);
    stand.provider.provider.off('grant.success', count);
    expect(asked).toBe(1);
  });

  it('is soon after the log-out, and gives the refresh token back to the provider', async () => {
    const { browser } = await signIn();
    const [grant] = await grants();
    const { sealer } = stand.world.portal.deps;
    const { refreshToken } = await openGrant(sealer, grant?.id ?? '', grant?.sealed_grant ?? '');
    await browser.send('POST /api/auth/v7.0/oidc/sign-out');
    expect((await grants())[0]?.next_check_at.getTime()).toBeLessThanOrEqual(Date.now());
    expect(await stand.provider.provider.RefreshToken.find(refreshToken)).toBeDefined();
    await round();
    expect(await grants()).toEqual([]);
    expect(await stand.provider.provider.RefreshToken.find(refreshToken)).toBeUndefined();
  });

  it('ends with the session, and with the setting', async () => {
    const { browser } = await signIn();
    await browser.send('POST /api/auth/v7.0/oidc/sign-out');
    await round();
    expect(await grants()).toEqual([]);
    const person = await signIn();
    await stand.set({ recheck: false });
    await round();
    expect(await grants()).toEqual([]);
    expect(await isLive(person)).toBe(true);
    await signIn();
    expect(await grants()).toEqual([]);
    await stand.set({ recheck: true });
  });

  it('does not happen with the interval 0', async () => {
    const every = (value: number) =>
      stand.world.admin(`PUT ${base}/tconfig`, { oidc: { recheck_s: { value } } });
    await every(0);
    await signIn();
    expect(await grants()).toEqual([]);
    await every(900);
    await signIn();
    const [before] = await grants();
    await round({ 'oidc.recheck_s': 0 });
    expect((await grants())[0]?.checked_at).toEqual(before?.checked_at);
  });

  it('has its refresh token sealed, and deleted with the user', async () => {
    const person = await signIn();
    const [grant] = await grants();
    const opened = await openGrant(
      stand.world.portal.deps.sealer,
      grant?.id ?? '',
      grant?.sealed_grant ?? '',
    );
    expect(opened).toMatchObject({ login: { subject: person.name, issuer: stand.provider.issuer } });
    expect(grant?.sealed_grant).not.toContain(opened.refreshToken);
    await stand.world.admin(`DELETE ${usersPath(stand.domain)}/${grant?.user_id}`);
    expect(await grants()).toEqual([]);
  });
});
