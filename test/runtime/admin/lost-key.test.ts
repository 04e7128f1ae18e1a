import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { secondFactors } from '../../../db/schema/identity/second-factors.ts';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { createSealer } from '../../../shared/kernel/crypto/sealing.ts';
import { runAdmin } from '../../support/admin-command.ts';
import {
  addDispatcher,
  addDomain,
  addFarm,
  addMember,
  addSite,
  addTag,
  addWebhook,
  adminOf,
  base,
  domainsPath,
  useWorld,
} from '../../support/factories.ts';
import { newSecretKey, newSigningKey } from '../../support/identity/signing-keys.ts';
import type { Json } from '../../support/portal.ts';
import { startReceiver } from '../../support/webhooks/receiver.ts';
import { webhookStand } from '../../support/webhooks/stand.ts';

const key = newSecretKey();
const world = useWorld({ secretKeys: [key], webhookNetworks: ['127.0.0.0/8'] });
const admin = adminOf(world);

describe('after the loss of SECRET_KEY', { timeout: 60_000 }, () => {
  let printed: string[];
  let domain: Json;
  let node: Json;
  let user: Json;
  let queried: Json;
  const query = 'sig=a-secret';

  beforeAll(async () => {
    const { db, deps, databaseUrl } = world.portal;
    domain = await addDomain(admin, {
      type: 'ldap',
      params: {
        hosts: ['ldaps://127.0.0.1:9'],
        base_dn: 'dc=a',
        bind_dn: 'cn=a',
        bind_password: 'a password',
      },
    });
    node = await addDispatcher(admin, await addFarm(admin, await addSite(admin)), {
      health_key: 'a health key',
    });
    queried = await addWebhook(admin, { url: `https://127.0.0.1:9/?${query}`, events: ['tag.created'] });
    ({ user } = await addMember(world, []));
    const place = { table: 'second_factors', row: user.id, column: 'sealed_secret' };
    await db.insert(secondFactors).values({
      ...{ user_id: user.id, last_step: 0, enrolled_at: new Date() },
      sealed_secret: await deps.sealer.seal('JBSWY3DPEHPK3PXP', place),
    });
    const lost = newSecretKey();
    const env = { DATABASE_URL: databaseUrl, SECRET_KEY: lost, AGGREGATOR_JWT_SSL_KEY: newSigningKey() };
    printed = (await runAdmin(env, ['replace-lost-key'])).stdout.split('\n');
    Object.assign(deps, { sealer: await createSealer([lost]) });
  });

  it('the command names the records, and what has to be done for them', () => {
    expect(printed).toEqual(
      expect.arrayContaining([
        `dispatchers.health_key: 1 lost; enter the health keys of these nodes again: ${node.name}`,
        `authenticators.params.bind_password: 1 lost; enter this secret of these domains again: ${domain.small_name}`,
        `second_factors.sealed_secret: 1 lost; run npm run admin -- reset-2fa for these users: ${world.domain.small_name}/${user.name}`,
        `webhooks.sealed_query: 1 lost; enter the addresses of these webhooks again, with their queries: ${queried.name}`,
        `webhooks.sealed_secret: 1 lost; rotate the secrets of these webhooks, and enter the new ones at their receivers: ${queried.name}`,
      ]),
    );
  });

  it('the records show that they have no secret, and can get a new one', async () => {
    const path = `${domainsPath}/${domain.id}`;
    const { params } = (await admin(`GET ${path}`)).body;
    expect(params).toMatchObject({ bind_password: null, bind_password_set: false });
    const patched = await admin(`PATCH ${path}`, {
      params: { ...domain.params, bind_password: 'a password' },
    });
    expect(patched.body.params.bind_password_set).toBe(true);
    const at = `${base}/dispatchers/${node.id}`;
    expect((await admin(`GET ${at}`)).body.health_key_set).toBe(false);
    expect((await admin(`PATCH ${at}`, { health_key: 'a new key' })).body.health_key_set).toBe(true);
  });

  it('the loss is in the audit log and in the monitoring journal, once, with the number of values', async () => {
    const { db } = world.portal;
    const lost = { 'dispatchers.health_key': 1, 'webhooks.sealed_secret': 1 };
    const events = await db.select().from(auditEvents).where(eq(auditEvents.action, 'replace_lost_key'));
    expect(events).toMatchObject([{ user_name: 'break-glass', details: { lost } }]);
    const records = await db
      .select()
      .from(monitoringRecords)
      .where(eq(monitoringRecords.code, 'secret_key_lost'));
    expect(records).toMatchObject([{ level: 'error', details: { lost } }]);
  });

  it('a webhook sends nothing, and works again after a rotation and with its address', async () => {
    const stand = webhookStand(world);
    const receiver = await startReceiver();
    try {
      const path = `${base}/webhooks/${queried.id}`;
      const show = async () => (await admin(`GET ${path}`)).body;
      expect((await show()).secret_set).toBe(false);
      await addTag(admin);
      await stand.pass();
      const errors = async () => (await stand.deliveries(queried)).map(({ state, error }) => [state, error]);
      expect(await errors()).toEqual([['waiting', 'secret_lost']]);
      const rotated = (await admin(`POST ${path}/rotate_secret`)).body;
      expect(rotated).toMatchObject({ secret_set: true, former_until: null });
      await stand.makeDue(queried);
      await stand.deliver();
      expect(await errors()).toEqual([['waiting', 'secret_lost']]);
      const again = await admin(`PATCH ${path}`, { url: `https://127.0.0.1:9/?${query}` });
      expect(again.status).toBe(200);
      const moved = { url: `${receiver.url}?${query}`, ca_certificate: receiver.caPem };
      expect((await admin(`PATCH ${path}`, moved)).status).toBe(200);
      await stand.makeDue(queried);
      await stand.deliver();
      expect(await errors()).toEqual([['delivered', null]]);
      expect(receiver.verified(rotated.secret)).toHaveLength(1);
    } finally {
      await receiver.close();
      await stand.close();
    }
  });
});
