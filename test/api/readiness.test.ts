import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installation } from '../../db/schema/installation.ts';
import { freshDatabase } from '../support/database.ts';
import { type FreezableProxy, startFreezableProxy } from '../support/freezable-proxy.ts';
import { startPortal, type TestPortal } from '../support/portal.ts';

let proxy: FreezableProxy;
let portal: TestPortal;
beforeAll(async () => {
  const database = await freshDatabase();
  proxy = await startFreezableProxy(database.url);
  portal = await startPortal({ database: { ...database, url: proxy.url } });
});
afterAll(async () => {
  proxy.restore();
  await portal.close();
  await proxy.close();
});

const ready = () => portal.send('GET /readyz');
const writtenAt = async () => {
  const [row] = await portal.db.select().from(installation).where(eq(installation.only, true));
  return row?.written_at ?? null;
};

describe('FLT-5 readiness of a portal', () => {
  it('is checked by one write, whatever the number of callers, and has no body', async () => {
    expect(await writtenAt()).toBeNull();
    const before = portal.trips();
    const answers = await Promise.all(Array.from({ length: 300 }, ready));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body ?? ''))).toEqual(new Set(['']));
    expect(answers[0]?.headers.get('content-type')).toBeNull();
    // The check of the space and the update.
    expect(portal.trips() - before).toBe(2);
    const written = await writtenAt();
    expect(written).toBeInstanceOf(Date);
    const later = portal.trips();
    for (let n = 0; n < 100; n++) expect((await ready()).status).toBe(200);
    expect(portal.trips()).toBe(later);
    expect(await writtenAt()).toEqual(written);
  });

  it('fails within seconds while the database does not answer, and a minute of proof does not hide it', async () => {
    proxy.cut();
    await expect.poll(async () => (await ready()).status, { timeout: 30_000 }).toBe(503);
    expect((await ready()).body ?? '').toBe('');
    const trips = portal.trips();
    expect((await portal.send('GET /livez')).body).toBe('ok');
    expect(portal.trips()).toBe(trips);
    proxy.restore();
    await expect.poll(async () => (await ready()).status, { timeout: 30_000 }).toBe(200);
  }, 70_000);

  it('answers while the database hangs', async () => {
    proxy.freeze();
    try {
      await expect.poll(async () => (await ready()).status, { timeout: 30_000 }).toBe(503);
      const since = performance.now();
      for (let n = 0; n < 3; n++) {
        const answers = await Promise.all(Array.from({ length: 50 }, ready));
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
      }
      // At most one of the three waits for a check; a busy machine may take longer than the second that it lasts.
      expect(performance.now() - since).toBeLessThan(5_000);
    } finally {
      proxy.thaw();
    }
    await expect.poll(async () => (await ready()).status, { timeout: 30_000 }).toBe(200);
  }, 70_000);

  it('asks for no key and takes no input', async () => {
    expect((await portal.send('GET /readyz', { token: 'none' })).status).toBe(200);
    expect((await portal.send('GET /readyz?full=true')).status).toBe(422);
    expect((await portal.send('HEAD /readyz')).status).toBe(200);
    expect((await portal.send('POST /readyz')).status).toBe(405);
  });
});
