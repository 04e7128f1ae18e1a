import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { migrateDatabase, schemaStateOf } from '../../../../db/migrate.ts';
import type { DatabaseAddress } from '../../../../shared/tooling/start/prepared-database.ts';
import { accepted, type Json } from '../../../e2e/support/api.ts';
import { ownedDatabase, query } from '../../../support/database/database.ts';
import { frozenKeys, frozenUser, restoreFrozen } from '../../../support/database/frozen-installation.ts';
import { base, type RunningPortal, startPortalOn } from '../../../support/database/stand.ts';
import { requireService } from '../../../support/services.ts';

const isServer = () => inject('postgresUrl') !== '';

/** A domain with one provider, and one whose provider has several tenants, which sign with issuers of their own. */
const issuers = {
  [randomUUID()]: 'https://login.example.com/realms/staff',
  [randomUUID()]: 'https://login.microsoftonline.com/organizations/v2.0',
};

const domainLike = (like: string, id: string, issuer: string): string =>
  `insert into authenticators select (jsonb_populate_record(a, '${JSON.stringify({
    ...{
      id,
      name: id,
      name_key: id,
      small_name: id.slice(0, 8),
      small_name_key: id.slice(0, 8),
      type: 'oidc',
      state: 'disabled',
    },
    params: { issuer, client_id: 'portal' },
  })}'::jsonb)).* from authenticators a where name = '${like}'`;

const userOf = (domain: string): string =>
  `insert into users select (jsonb_populate_record(u, '${JSON.stringify({
    ...{ id: randomUUID(), authenticator_id: domain, name: 'by-provider', name_key: 'by-provider' },
    directory_id: 'subject',
  })}'::jsonb)).* from users u where name = 'admin' limit 1`;

requireService('postgresql', isServer())('the installation of 27 November 2026', () => {
  const name = `frozen_${randomUUID().replaceAll('-', '')}`;
  let address: DatabaseAddress;
  let portal: RunningPortal | undefined;

  beforeAll(async () => {
    address = await ownedDatabase(inject('postgresUrl'), name);
    await restoreFrozen(address.ownerUrl);
    for (const [domain, issuer] of Object.entries(issuers)) {
      await query(address.ownerUrl, domainLike('Directory', domain, issuer));
      await query(address.ownerUrl, userOf(domain));
    }
  });
  afterAll(async () => {
    await portal?.stop();
    await query(inject('postgresUrl'), `drop database if exists ${name} with (force)`);
  });

  it('is upgraded to the current schema', async () => {
    expect(await schemaStateOf(address.ownerUrl)).toMatch(/^(?:older|current)$/);
    await migrateDatabase(address.ownerUrl);
    for (const url of [address.url, address.sidecarUrl]) expect(await schemaStateOf(url)).toBe('current');
  });

  it('keeps who vouches for the people of a domain with one provider', async () => {
    const rows = await query(
      address.ownerUrl,
      `select authenticator_id as domain, directory_authority as authority from users where name = 'by-provider'`,
    );
    const [one, many] = Object.entries(issuers);
    expect(new Map(rows.map(({ domain, authority }) => [domain, authority]))).toEqual(
      new Map([one, [many?.[0], '']] as [string, string][]),
    );
    for (const id of Object.keys(issuers))
      await query(address.ownerUrl, `delete from authenticators where id = '${id}'`);
  });

  it('serves its administrator and its users with their previous passwords', async () => {
    portal = await startPortalOn(address, frozenKeys);
    const { api, token } = portal;
    const namesOf = async (path: string, as = token): Promise<string[]> => {
      const { items } = await accepted(api, `GET ${base}/${path}`, { token: as });
      return items.map((item: Json) => item.name).toSorted();
    };
    expect(await namesOf('sites')).toEqual(['Campus', 'North', 'South']);
    expect(await namesOf('farms')).toEqual(['Campus farm', 'North farm', 'South farm']);
    expect(await namesOf('dispatchers')).toEqual(['campus-1', 'north-1', 'south-1']);
    expect(await namesOf('authenticators')).toEqual(['Built-in', 'Demo', 'Directory']);
    expect(await namesOf('rules')).toEqual(['Offices']);
    const { name: user, password, domain } = frozenUser;
    const ofUser = await api.login(user, password, domain);
    expect(await namesOf('sites', ofUser)).toEqual(['North']);
    const info = await accepted(api, 'GET /api/userinfo', { token: ofUser });
    expect(info).toMatchObject({ real_name: 'Carol', roles: [{ name: 'Help desk' }] });
  }, 120_000);

  it('continues its audit chain', async () => {
    if (!portal) throw new Error('the portal has not started');
    const { api, token } = portal;
    const verify = () => accepted(api, `GET ${base}/audit/verify`, { token });
    const first = await verify();
    expect(first).toMatchObject({ ok: true });
    expect(first.checked).toBeGreaterThan(0);
    await expect
      .poll(async () => (await verify()).sealed_to, { timeout: 60_000, interval: 500 })
      .toBeGreaterThan(34);
    expect(await verify()).toMatchObject({ ok: true });
  }, 90_000);
});
