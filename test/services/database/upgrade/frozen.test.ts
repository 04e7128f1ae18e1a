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

requireService('postgresql', isServer())('the installation of 27 November 2026', () => {
  const name = `frozen_${randomUUID().replaceAll('-', '')}`;
  let address: DatabaseAddress;
  let portal: RunningPortal | undefined;

  beforeAll(async () => {
    address = await ownedDatabase(inject('postgresUrl'), name);
    await restoreFrozen(address.ownerUrl);
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
