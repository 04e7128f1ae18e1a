import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { idempotencyKeys } from '../../../../db/schema/jobs/idempotency-keys.ts';
import {
  addUser,
  adminOf,
  asker,
  audited,
  base,
  goodPassword,
  logIn,
  siteBody,
  startWorld,
  unique,
  useStand,
} from '../../../support/factories.ts';
import { addTwoFactorDomain } from '../../../support/identity/second-factor.ts';
import { codeOf } from '../../../support/identity/totp-device.ts';
import type { Answer } from '../../../support/portal.ts';
import { type Fate, type LossyProxy, startLossyProxy } from './lossy-proxy.ts';

const sites = `${base}/sites`;
const keyed = (key: string) => ({ 'idempotency-key': key });

const stand = useStand(async () => {
  const proxies: LossyProxy[] = [];
  const world = await startWorld({
    driver: 'neon',
    between: async (url) => {
      const proxy = await startLossyProxy(url);
      proxies.push(proxy);
      return proxy.url;
    },
  });
  const [proxy] = proxies;
  if (!proxy) throw new Error('the driver does not use the proxy');
  const close = () => world.portal.close().then(() => proxy.close());
  return { world, proxy, close };
});
const admin = (...call: Parameters<ReturnType<typeof adminOf>>) => adminOf(stand.world)(...call);
const sitesNamed = async (name: unknown): Promise<number> =>
  (await admin(`GET ${sites}?search=${name}`)).body.items.length;
const rowsOf = (key: string) =>
  stand.world.portal.db.select().from(idempotencyKeys).where(eq(idempotencyKeys.key, key));
const codeOfAnswer = ({ status, body }: Answer): unknown => (status < 300 ? status : body.code);

const takesLease = (body: string) => body.includes('pg_try_advisory_xact_lock');
const stores = (body: string) => body.includes('insert into \\"idempotency_keys\\"') && !takesLease(body);

/** Creates a site with a key, and decides about the requests to the database. */
const creation = () => {
  const [key, body] = [unique('key'), siteBody()];
  return { key, name: body.name, send: (own: object = body) => admin(`POST ${sites}`, own, keyed(key)) };
};

afterEach(() => stand.proxy.decide(() => 'forward'));

describe('a request with a key on Neon that is interrupted', () => {
  it('after its effect returns its answer, and a retry learns that the outcome is unknown', async () => {
    const { key, name, send } = creation();
    stand.proxy.decide((body) => (stores(body) ? 'refuse' : 'forward'));
    const { result: first, events } = await audited(stand.world.portal, send);
    expect([first.status, first.body.name, events.length]).toEqual([201, name, 1]);
    expect(stand.world.portal.log).toContainEqual(
      expect.objectContaining({ message: 'a response could not be stored' }),
    );
    stand.proxy.decide(() => 'forward');
    expect(await rowsOf(key)).toMatchObject([{ status: null, lease_until: expect.any(Date) }]);
    expect(codeOfAnswer(await send())).toBe('idempotency_in_progress');
    expect(codeOfAnswer(await send(siteBody()))).toBe('idempotency_mismatch');
    stand.world.portal.advance(61);
    expect([codeOfAnswer(await send()), await sitesNamed(name)]).toEqual(['outcome_unknown', 1]);
  });

  it('before the answer of its effect is not run again', async () => {
    const { name, send } = creation();
    stand.proxy.decide((body) => (takesLease(body) ? 'lose' : 'forward'));
    expect(codeOfAnswer(await send())).toBe('database_unavailable');
    stand.proxy.decide(() => 'forward');
    expect([codeOfAnswer(await send()), await sitesNamed(name)]).toEqual(['idempotency_in_progress', 1]);
    stand.world.portal.advance(61);
    expect([codeOfAnswer(await send()), await sitesNamed(name)]).toEqual(['outcome_unknown', 1]);
  });

  it('before its effect can be retried', async () => {
    const { key, name, send } = creation();
    stand.proxy.decide((body) => (takesLease(body) ? 'refuse' : 'forward'));
    expect([codeOfAnswer(await send()), await rowsOf(key)]).toEqual(['database_unavailable', []]);
    stand.proxy.decide(() => 'forward');
    const answers = [await send(), await send()];
    expect(answers.map(({ body }) => body.id)).toEqual([answers[0]?.body.id, answers[0]?.body.id]);
    expect([answers.map(codeOfAnswer), await sitesNamed(name)]).toEqual([[201, 201], 1]);
  });

  it('before the answer of its storing is stored', async () => {
    const { send } = creation();
    stand.proxy.decide((body) => (stores(body) ? 'lose' : 'forward'));
    const first = await send();
    stand.proxy.decide(() => 'forward');
    expect([first.status, (await send()).body]).toEqual([201, first.body]);
  });

  it('by a failure after its effect has an unknown outcome at once', async () => {
    const { ask } = await memberWithoutFactor();
    const send = () => ask('PATCH /api/userinfo', { language: 'ru' }, keyed('language'));
    const sent: string[] = [];
    // The profile in the response is read after the write.
    stand.proxy.decide((body) => {
      sent.push(body);
      return takesLease(sent.at(-2) ?? '') ? 'refuse' : 'forward';
    });
    expect(codeOfAnswer(await send())).toBe('database_unavailable');
    stand.proxy.decide(() => 'forward');
    expect(codeOfAnswer(await send())).toBe('outcome_unknown');
    expect((await ask('GET /api/userinfo')).body.language).toBe('ru');
  });

  it('answers others while it stores its answer', async () => {
    const { send } = creation();
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    stand.proxy.decide(async (body): Promise<Fate> => {
      if (!stores(body)) return 'forward';
      held.resolve();
      await released.promise;
      return 'forward';
    });
    const first = send();
    await held.promise;
    const others = [await send(), await send(siteBody())];
    released.resolve();
    const { status, body } = await first;
    expect([others.map(codeOfAnswer), status]).toEqual([
      ['idempotency_in_progress', 'idempotency_mismatch'],
      201,
    ]);
    expect((await send()).body).toEqual(body);
  });
});

describe('a request with a key on Neon whose operation has several writes', () => {
  it('is not stored if it is rejected after a write, which stays', async () => {
    const { ask } = await memberWithoutFactor();
    const send = (password: string) => ask(`POST ${ownFactor}`, { password }, keyed('enrolment'));
    const { result: rejected, events } = await audited(stand.world.portal, () => send('a wrong guess'));
    expect(codeOfAnswer(rejected)).toBe('invalid_credentials');
    expect(events).toMatchObject([{ result: 'failure' }]);
    expect(codeOfAnswer(await send(goodPassword))).toBe(200);
    expect((await send(goodPassword)).body).toMatchObject({ secret: null, secret_set: true });
  });

  it('returns its answer although its effect leads to a rejection of the next request', async () => {
    const { ask } = await memberWithoutFactor();
    const { secret } = (await ask(`POST ${ownFactor}`, { password: goodPassword })).body;
    const code = codeOf(secret, stand.world.portal.deps.clock());
    const finish = (key: string) => ask(`POST ${ownFactor}`, { code }, keyed(key));
    expect(codeOfAnswer(await finish('finishing'))).toBe(200);
    expect((await finish('finishing')).body).toMatchObject({ recovery_codes_set: true });
    expect(codeOfAnswer(await finish('another'))).toBe('invalid_state');
  });
});

const ownFactor = '/api/userinfo/two_factor';

async function memberWithoutFactor() {
  const { portal } = stand.world;
  const domain = await addTwoFactorDomain(admin, { two_factor: false });
  const user = await addUser(admin, domain);
  return { ask: asker(portal, (await logIn(portal, domain, user)).body.token) };
}
