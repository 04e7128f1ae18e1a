import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { audited, base, usersPath, useWorld } from '../../support/factories.ts';
import { type ForgedDomain, startForgedDomain } from '../../support/federation/forged-domain.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
let stand: ForgedDomain;
beforeAll(async () => {
  stand = await startForgedDomain(world);
});
afterAll(() => stand.forger.close());

const failures = async (work: () => Promise<unknown>): Promise<Json[]> =>
  (await audited(world.portal, work)).events.map(({ details }) => details as Json);
const half = '😀'.slice(0, 1);

describe('a visitor', () => {
  it('who leaves during the exchange of the code is not a failure of the provider', async () => {
    const { begin, answerTo, forger, domain } = stand;
    const begun = await begin();
    const asked = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    forger.answers.token = async () => {
      asked.resolve();
      await left.promise;
      return { json: { error: 'invalid_grant' }, status: 400 };
    };
    const gone = new AbortController();
    const { baseUrl } = world.portal.deps;
    const cookie = [...(begun.browser.cookies.get(baseUrl) ?? [])].map((pair) => pair.join('=')).join('; ');
    const request = new Request(answerTo(begun, { code: 'code' }), {
      headers: { cookie },
      signal: gone.signal,
    });
    const answer = world.portal.portal.fetch(request, {
      client: { ip: '127.0.0.1', secure: true, loopback: false },
      background: () => undefined,
    });
    await asked.promise;
    gone.abort();
    expect((await answer).status).toBe(503);
    left.resolve();
    forger.reset();
    const { body } = await world.admin(`GET ${base}/monitoring?object_id=${domain.id}`);
    expect(body.items).toEqual([]);
  });

  it('writes one event for many refusals, whatever codes the browser brings', async () => {
    const details = await failures(async () => {
      for (const error of ['access_denied', 'zz-1', 'zz-2', 'zz-3']) await stand.answered({ error });
    });
    expect(details).toMatchObject([{ endpoint: 'authorization', provider_code: 'access_denied' }]);
  });

  it('cannot keep a refusal out of the audit by a text that is cut through a character', async () => {
    const iss = `${'i'.repeat(255)}😀`;
    expect(await failures(() => stand.answered({ code: 'code', iss }))).toMatchObject([
      { reason: 'issuer_mismatch', found: `${'i'.repeat(255)}\ufffd` },
    ]);
    const typed = { username: 'absent', password: 'x', auth: `${'d'.repeat(255)}😀` };
    expect(
      await failures(() => world.portal.send('POST /api/auth/v7.0/login', { body: typed })),
    ).toHaveLength(1);
  });
});

describe('a password for a domain with an identity provider', () => {
  const routes = ['POST /api/auth/v7.0/login', 'POST /api/auth/v7.0/login/2fa'];
  it.each(['visible', 'hidden'])('locks no account of a %s domain', async (state) => {
    await world.admin(`PATCH ${base}/authenticators/${stand.domain.id}`, { state });
    await world.admin(`PUT ${base}/tconfig`, { lockout: { account_per_hour: { value: 2 } } });
    const username = `olga-${state}`;
    for (const route of [...routes, ...routes]) {
      const body = { authId: stand.domain.id, username, password: 'x' };
      expect((await world.portal.send(route, { ip: '203.0.113.9', body })).status).toBeGreaterThan(400);
    }
    expect((await stand.signIn({ sub: username, preferred_username: username })).status).toBe(200);
  });
});

describe('a person at a provider', () => {
  const names = async (): Promise<string[]> =>
    (await world.admin(`GET ${usersPath(stand.domain)}?sort=created_at`)).body.items.map(
      ({ name }: Json) => name,
    );

  it('keeps the former name instead of one that the audit log gives to work without a user', async () => {
    await stand.signIn({ sub: 'mallory', preferred_username: 'mallory' });
    for (const name of ['system', 'Peer:north', 'j\u200bob'])
      expect((await stand.signIn({ sub: 'mallory', preferred_username: name })).status).toBe(200);
    expect(await names()).toContain('mallory');
    expect((await names()).filter((name) => /system|peer|job/i.test(name))).toEqual([]);
  });

  it('is known by a subject whose case counts, also if claims have the names of prototypes', async () => {
    const hostile = JSON.parse(
      '{"__proto__":{"sub":"mallory"},"constructor":{"prototype":{}},"toString":"x"}',
    );
    expect((await stand.signIn({ ...hostile, sub: 'Mallory', preferred_username: 'other' })).status).toBe(
      200,
    );
    expect(await names()).toEqual(expect.arrayContaining(['mallory', 'other']));
  });

  it('has a refusal in the audit if the claim that refuses has half of a character', async () => {
    const path = `PATCH ${base}/authenticators/${stand.domain.id}`;
    await world.admin(path, { params: { required_claims: ['team=blue'] } });
    const details = await failures(() => stand.signIn({ sub: 'nora', team: `a${half}` }));
    expect(details).toMatchObject([{ reason: 'claim_not_allowed', claim: 'team', found: 'a\ufffd' }]);
    await world.admin(path, { params: { required_claims: [] } });
  });
});
