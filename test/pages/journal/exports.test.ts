import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import { addEvents, startExports } from '../../support/exports/exports.ts';
import { addMember, base, goodPassword } from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { looks } from '../../support/pages/looks.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 90_000 });

requireService('chromium', hasChromium)('exports in the console', () => {
  let stopExports: (() => Promise<void>) | undefined;
  const tabs = useConsoleTabs(async ({ world: { portal } }) => {
    await addEvents(portal.db, 2_000);
  });
  beforeAll(async () => {
    stopExports = await startExports(tabs.stand.world.portal.database.sidecarUrl);
  });
  afterAll(() => stopExports?.());

  const own = async (): Promise<Json[]> => (await tabs.stand.world.admin(`GET ${base}/exports`)).body.items;
  const digestOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
  const save = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  /** The portal behind a gateway that ends the next answers with a file after some bytes. */
  async function cutFiles(times: number, afterBytes: number, seen?: () => Promise<void>): Promise<void> {
    const { fetch } = tabs.stand.world.portal.portal;
    let left = times;
    await tabs.stand.stop();
    await tabs.stand.restart(async (request, ...rest) => {
      const answer = await fetch(request, ...rest);
      if (request.method !== 'POST' || !request.url.endsWith('/export') || left === 0 || !answer.body)
        return answer;
      left -= 1;
      return new Response(cut(answer.body, afterBytes, seen), answer);
    });
  }

  it('are ordered with the filters of the list, built and downloaded', async () => {
    const page = await tabs.open('/audit?event=test.Filled&category=config');
    await page.getByRole('rowheader').first().waitFor();
    await save(page, 'Export').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('test.Filled').waitFor();
    await dialog.getByLabel('Format').selectOption('json');
    await expectGood(page, 'export-order');
    await dialog.getByRole('button', { name: 'Order the file' }).click();
    await dialog.getByText('2,000 rows').first().waitFor();
    const [file] = await own();
    expect(file).toMatchObject({ format: 'json', filters: { event: 'test.Filled', category: 'config' } });
    const saved = page.waitForEvent('download');
    await save(page, 'Download').click();
    const download = await saved;
    expect(download.suggestedFilename()).toMatch(/^audit-\d{8}T\d{6}Z\.json$/);
    expect(digestOf(await download.path())).toBe(file?.sha256);
    await dialog.getByText('Saved and verified').waitFor();
    await expectGood(page, 'export-ready');
  });

  it('continue a download after the connection was lost', async () => {
    await tabs.stand.world.admin(`GET ${base}/audit/export?event=test.Filled&format=ndjson`);
    const page = await tabs.open('/exports');
    await page.getByRole('row').filter({ hasText: 'NDJSON' }).getByText('Ready').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'NDJSON' });
    // Bytes that the browser has not passed on are lost with the connection.
    await cutFiles(2, 300_000, () => row.getByText(/^[1-9].* of /).waitFor());
    const saved = page.waitForEvent('download');
    await row.getByRole('button', { name: 'Download' }).click();
    const [file] = await own();
    expect(digestOf(await (await saved).path())).toBe(file?.sha256);
    const offsets = await offsetsOf(file?.export_id);
    expect([offsets.length, offsets[0]]).toEqual([3, 0]);
    expect(offsets[1]).toBeGreaterThan(0);
    expect(offsets[2]).toBeGreaterThanOrEqual(offsets[1] ?? 0);
    await row.getByText('Saved and verified').waitFor();
  });

  it('can be continued by hand if the portal does not answer for longer', async () => {
    await tabs.stand.world.admin(`GET ${base}/audit/export?event=test.Filled&format=cef`);
    const page = await tabs.open('/exports');
    const row = page.getByRole('row').filter({ hasText: 'CEF' });
    await row.getByText('Ready').waitFor();
    await cutFiles(100, 0);
    await row.getByRole('button', { name: 'Download' }).click();
    await row.getByText(/^Interrupted at/).waitFor({ timeout: 60_000 });
    await expectGood(page, 'export-interrupted');
    await tabs.stand.stop();
    await tabs.stand.restart();
    const saved = page.waitForEvent('download');
    await row.getByRole('button', { name: 'Continue the download' }).click();
    const [file] = await own();
    expect(digestOf(await (await saved).path())).toBe(file?.sha256);
  });

  it('are good to look at, in both languages and schemes, in every width', async () => {
    for (const [locale, colorScheme, width] of looks) {
      const page = await tabs.open('/exports', { locale, colorScheme, viewport: { width, height: 900 } });
      await page.getByRole('row').nth(2).waitFor();
      await expectGood(page, `exports-${locale}-${colorScheme}`);
    }
  });

  it('say what to do first if there are none', async () => {
    const { world } = tabs.stand;
    const { user } = await addMember(world, ['audit.read', 'audit.export', 'dashboard.read']);
    const account = { domain: world.domain.name, name: user.name, password: goodPassword };
    const page = await tabs.open('/exports', {}, account);
    await page.getByText('You have no exports').waitFor();
    await expectGood(page, 'exports-none');
  });

  /** The offsets from which a file was read, in order of time. */
  async function offsetsOf(id: string): Promise<number[]> {
    const query = `event=portal.ExportObtained&object_id=${id}&sort=at`;
    const { body } = await tabs.stand.world.admin(`GET ${base}/audit?${query}`);
    return body.items.map(({ details }: Json) => details.offset);
  }
});

/** Fails after a number of bytes, as soon as they were seen. */
function cut(
  body: ReadableStream<Uint8Array>,
  afterBytes: number,
  seen?: () => Promise<void>,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let left = afterBytes;
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await reader.read();
      if (left <= 0 || done || !value) {
        await reader.cancel();
        await seen?.();
        controller.error(new Error('the connection is lost'));
        return;
      }
      const part = value.subarray(0, left);
      left -= part.length;
      controller.enqueue(part);
    },
  });
}
