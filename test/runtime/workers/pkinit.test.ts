import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePorts } from '../../e2e/support/portal-process.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { connectBy } from '../../support/database/neon-proxy.ts';
import { hasSlapd } from '../../support/directories/slapd.ts';
import { startStand } from '../../support/gateways/tcp-stand.ts';
import { hasKdc } from '../../support/pkinit/kdc.ts';
import {
  addCardDomain,
  addCardUser,
  begin,
  finalize,
  path,
  type Realm,
  signIn,
  startRealm,
} from '../../support/pkinit/pkinit.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';
import { type LocalPortal, startWorkers, workersVariables } from '../../support/workers/local-workers.ts';

requireService('slapd and krb5kdc', hasSlapd && hasKdc)('a login by certificate through a Worker', () => {
  let folder: string;
  let database: FreshDatabase;
  let kdc: Realm;
  let portal: LocalPortal;
  let domains: { good: Json; failing: Json; elsewhere: Json };

  beforeAll(async () => {
    [folder, database, kdc] = await Promise.all([
      mkdtemp(join(tmpdir(), 'aggregator-pkinit-workers-')),
      freshDatabase(),
      startRealm(),
    ]);
    portal = await startWorkers({
      ...(await workersVariables({
        folder,
        databaseUrl: database.url,
        password: 'correct horse battery staple',
      })),
      ALLOWED_PRIVATE_NETWORKS: '127.0.0.1/32',
    });
    const connection = await connectBy('pg', { url: database.url });
    const [free] = await freePorts(1);
    domains = {
      good: await addCardDomain(connection, kdc, { kdc: [`127.0.0.1:${free}`, kdc.address] }),
      failing: await addCardDomain(connection, kdc, { kdc: [`127.0.0.1:${free}`] }),
      elsewhere: await addCardDomain(connection, kdc, { kdc: ['127.0.0.2:88'] }),
    };
    for (const name of ['alice', 'carol']) await addCardUser(connection, domains.good, name);
    await connection.close();
  }, 90_000);
  afterAll(async () => {
    await portal?.stop();
    await kdc?.stop();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it.each([
    ['alice', false],
    ['carol', true],
  ])('opens a session for %s, skipping an unavailable KDC', async (name, curve) => {
    const answer = await signIn(portal, domains.good, await kdc.issue({ name, curve }));
    expect(answer).toMatchObject({ status: 200, body: { result: 'ok', user: { name } } });
    const me = await portal.send('GET /api/userinfo', { token: answer.body.token });
    expect(me).toMatchObject({ status: 200, body: { name } });
  });

  it('uses the KDC through raw, and finalize uses it up', async () => {
    const card = await kdc.issue({ name: 'alice' });
    const { body } = await begin(portal, domains.good, card);
    const { challenge_id } = body;
    const signed = { challenge_id, signature: await card.sign(body.data_to_sign) };
    const raw = await portal.send(path(domains.good, 'raw'), { body: signed });
    expect(Buffer.from(raw.body.response, 'base64')[0]).toBe(0x6b);
    expect(await finalize(portal, domains.good, { challenge_id })).toMatchObject({ status: 200 });
    expect(await finalize(portal, domains.good, { challenge_id })).toMatchObject({
      status: 401,
      body: { code: 'login_expired' },
    });
  });

  it('is refused for a card of another authority, and with an unavailable or forbidden KDC', async () => {
    const made = await kdc.issue({ name: 'made', client: 'alice', authority: 'other' });
    expect(await signIn(portal, domains.good, made)).toMatchObject({ status: 401 });
    const refusals = [];
    for (const domain of [domains.failing, domains.elsewhere]) {
      const { status, body } = await begin(portal, domain, made);
      refusals.push([status, body.code, body.reason]);
    }
    expect(refusals).toEqual([
      [503, 'upstream_unavailable', 'unreachable'],
      [502, 'upstream_refused', 'address_not_allowed'],
    ]);
  });

  it('leaves no open connection when a KDC does not answer', async () => {
    const silent = await startStand(() => undefined);
    const connection = await connectBy('pg', { url: database.url });
    const params = {
      timeout_s: 1,
      kerberos: { realm: kdc.realm, kdc: [silent.address], anchors: kdc.anchors },
    };
    const domain = await addCardDomain(connection, kdc, {}, { params });
    await connection.close();
    const card = await kdc.issue({ name: 'alice' });
    expect(await begin(portal, domain, card)).toMatchObject({
      status: 504,
      body: { code: 'upstream_timeout' },
    });
    await silent.close();
    expect((await signIn(portal, domains.good, card)).status).toBe(200);
    expect(portal.errors.filter((line) => /"level":"error"|different request|hanging/.test(line))).toEqual(
      [],
    );
  });
});
