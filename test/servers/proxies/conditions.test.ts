import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, fetch, type RequestInit } from 'undici';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { serveNode } from '../../../shared/runtime/node/server.ts';
import { root } from '../../../shared/tooling/build/bundles.ts';
import { ensureLocalTls } from '../../../shared/tooling/start/tls/local-tls.ts';
import { launchBrowser, openTab, type Tab } from '../../e2e/support/browser.ts';
import { freePorts } from '../../e2e/support/portal-process.ts';
import { builtExport, startExports } from '../../support/exports/exports.ts';
import { addMember, addSite, base, startWorld, useStand } from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { administrator, startSession } from '../../support/pages/sessions.ts';
import type { Json } from '../../support/portal.ts';
import { type Configuration, configurations } from '../../support/proxies/configurations.ts';
import { startProxy } from '../../support/proxies/proxies.ts';
import { requireService } from '../../support/services.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });

/** Milliseconds between the comments of a stream. */
const beatMs = 1_000;

/** A portal with one address, at which the proxies are in turn. */
const stand = useStand(async () => {
  const [port = 0] = await freePorts(1);
  const origin = `https://localhost:${port}`;
  const world = await startWorld({ baseUrl: origin, changeLimits: { beatMs } });
  const serving = await serveNode({
    fetch: world.portal.portal.fetch,
    host: '127.0.0.1',
    port: 0,
    trustProxy: 1,
    log: world.portal.deps.log,
  });
  const stopExports = await startExports(world.portal.database.sidecarUrl);
  const file = await builtExport(world.admin, `${base}/audit`, 'format=ndjson');
  const tls = await ensureLocalTls(`${root}/dist/tls`, ['localhost']);
  const agent = new Agent({ allowH2: true, connect: { rejectUnauthorized: false } });
  const close = async () => {
    await agent.close();
    await stopExports();
    world.portal.deps.changes?.end();
    await serving.close(1_000);
    await world.portal.close();
  };
  const behind = async (program: Configuration['program']) => {
    const { stop } = await startProxy(program, { to: serving.port, tls, patienceS: 60, secure: port });
    return { close: stop };
  };
  return { world, origin, behind, file, agent, close };
});

let browser: ReturnType<typeof launchBrowser> | undefined;
afterAll(async () => (await browser)?.close());

describe.each(configurations)('$name', ({ name, isPresent, program, ...configuration }) => {
  requireService(name, isPresent)('in front of the portal', () => {
    useStand(() => stand.behind(program));
    const ask = (path: string, { headers, ...init }: RequestInit & { headers: Record<string, string> }) =>
      fetch(`${stand.origin}${path}`, { ...init, headers, dispatcher: stand.agent });

    it('reads, conditional reads and conditional writes have their usual results', async () => {
      const token = await stand.world.portal.login();
      const site = await addSite(stand.world.admin);
      const path = `${base}/sites/${site.id}`;
      const read = (headers = {}) => ask(path, { headers: { 'x-auth-token': token, ...headers } });
      const write = (etag: string, comments: string) =>
        ask(path, {
          method: 'PATCH',
          headers: { 'x-auth-token': token, 'content-type': 'application/json', 'if-match': etag },
          body: JSON.stringify({ comments }),
        });
      const first = await read();
      expect(await first.json()).toMatchObject({ id: site.id, comments: '' });
      expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8');
      const etag = first.headers.get('etag') ?? '';
      expect(etag).toMatch(configuration.tag);
      const again = await read({ 'if-none-match': etag });
      expect(again.status).toBe(configuration.dropsConditions ? 200 : 304);
      await again.text();
      const written = await write(etag, 'written once');
      expect([written.status, ((await written.json()) as Json).comments]).toEqual([200, 'written once']);
      const stale = await write(etag, 'written twice');
      expect([stale.status, ((await stale.json()) as Json).code]).toEqual([412, 'precondition_failed']);
      const changed = await read({ 'if-none-match': etag });
      expect([changed.status, ((await changed.json()) as Json).comments]).toEqual([200, 'written once']);
    });

    it('no caller gets the answer to another', async () => {
      const own = await addMember(stand.world, []);
      const nameOf = async (token: string) =>
        ((await (await ask('/api/userinfo', { headers: { 'x-auth-token': token } })).json()) as Json).name;
      const tokens = [await stand.world.portal.login(), own.token];
      const names = [await nameOf(tokens[0] ?? ''), await nameOf(tokens[1] ?? '')];
      expect(names).toEqual([administrator.name, own.user.name]);
      expect(await nameOf('none')).toBeUndefined();
    });

    requireService('chromium', hasChromium)('in the console', () => {
      it('a save, a conflict, live changes and a download work', async () => {
        browser ??= launchBrowser();
        const tab = await openTab(await browser, stand.origin);
        const { world, origin } = stand;
        await tab.page.context().addCookies([await startSession(world.portal, origin, administrator)]);
        await saveAndResolve(tab, await addSite(world.admin));
        await download(tab, stand.file);
        expect([tab.errors.filter((text) => !text.includes('412')), tab.foreign]).toEqual([[], []]);
        await tab.close();
      });
    });
  });
});

async function saveAndResolve({ page }: Tab, site: Json): Promise<void> {
  const edit = `/console/#/site/${site.id}/edit`;
  await page.goto(edit);
  await page.getByLabel('Comments').fill('Saved behind a proxy');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('definition').filter({ hasText: 'Saved behind a proxy' }).waitFor();
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByLabel('Comments').fill('Typed here');
  await stand.world.admin(`PATCH ${base}/sites/${site.id}`, { comments: 'Typed elsewhere' });
  // The stream of changes reports it.
  await page.getByText('Another administrator has changed this record').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('row').filter({ hasText: 'Typed elsewhere' }).getByText('Typed here').waitFor();
  await dialog.getByRole('button', { name: 'Save the chosen values' }).click();
  await page.getByRole('definition').filter({ hasText: 'Typed here' }).waitFor();
}

async function download({ page }: Tab, file: Json): Promise<void> {
  await page.evaluate(() => {
    location.hash = '/exports';
  });
  const saved = page.waitForEvent('download');
  await page.getByRole('row').filter({ hasText: 'NDJSON' }).getByRole('button', { name: 'Download' }).click();
  const bytes = readFileSync(await (await saved).path());
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(file.sha256);
}
