import { expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import { base } from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { looks } from '../../support/pages/looks.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 90_000 });

requireService('chromium', hasChromium)('system parameters in the console', () => {
  const tabs = useConsoleTabs();
  const stored = async (section: string, key: string): Promise<unknown> => {
    const { body } = await tabs.stand.world.admin(`GET ${base}/tconfig`);
    return body[section][key].value;
  };
  const store = (section: string, key: string, value: unknown) =>
    tabs.stand.world.admin(`PUT ${base}/tconfig`, { [section]: { [key]: { value } } });
  const rowOf = (page: Page, name: string) => page.locator(`[data-parameter="${name}"]`);
  const idle = (page: Page) => page.getByRole('spinbutton', { name: 'Idle timeout' });

  it('shows sections, finds parameters and says what a value means', async () => {
    const page = await tabs.open('/parameters');
    await page.getByRole('heading', { name: 'Sessions', level: 2 }).waitFor();
    await rowOf(page, 'session.idle_s').getByText('Default: 1,800 s (30 minutes)').waitFor();
    await rowOf(page, 'session.idle_s').getByText('From 120 to 2,592,000').waitFor();
    await page.getByRole('searchbox', { name: 'Search parameters' }).fill('circuit breaker');
    await expect.poll(() => page.locator('[data-parameter]').count()).toBe(2);
    expect(page.url()).toContain('search=circuit');
    await page.getByRole('searchbox', { name: 'Search parameters' }).fill('no such thing');
    await page.getByText('No parameters match').waitFor();
    await page.getByRole('button', { name: 'Show all parameters' }).click();
    await rowOf(page, 'audit.retention_days').waitFor();
  });

  it('saves only what is changed, after a trial, and resets to the default', async () => {
    const page = await tabs.open('/parameters', { permissions: ['clipboard-read', 'clipboard-write'] });
    await idle(page).fill('3600');
    await page.getByRole('spinbutton', { name: 'Sessions per user' }).fill('3');
    await page.getByText('2 unsaved changes').waitFor();
    await page.getByRole('button', { name: 'Try first' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1,800 s (30 minutes) → 3,600 s (60 minutes)').waitFor();
    await expectGood(page, 'parameters-trial');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    expect(await stored('session', 'idle_s')).toBe(1_800);
    await page.getByRole('button', { name: 'Copy as curl command' }).click();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    expect(command).toMatch(/-H 'if-match: "\d+\.[\w-]{16}"'/);
    const sent = JSON.parse(/--data '(.*)'/.exec(command)?.[1] ?? '');
    expect(sent).toEqual({ session: { idle_s: { value: 3_600 }, max_per_user: { value: 3 } } });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('2 parameters are saved').waitFor();
    await page.getByRole('button', { name: 'Changed from default (2)' }).click();
    await expect.poll(() => page.locator('[data-parameter]').count()).toBe(2);
    await page.getByRole('button', { name: 'Reset to default: Idle timeout' }).click();
    await page.getByRole('button', { name: 'Reset to default: Sessions per user' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('All parameters have their default values').waitFor();
    expect([await stored('session', 'idle_s'), await stored('session', 'max_per_user')]).toEqual([1_800, 0]);
  });

  it('names a value that is refused at its parameter, and keeps what is typed over a reload', async () => {
    const page = await tabs.open('/parameters');
    await idle(page).fill('5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('One entry is not valid').waitFor();
    await expect.poll(() => idle(page).getAttribute('aria-invalid')).toBe('true');
    await page.reload();
    await page.getByText('1 unsaved change').waitFor();
    expect(await idle(page).inputValue()).toBe('5');
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => idle(page).inputValue()).toBe('1800');
  });

  it('asks which value to keep if another administrator has changed a parameter', async () => {
    const page = await tabs.open('/parameters');
    await page.getByRole('spinbutton', { name: 'Retention of audit events' }).fill('100');
    await store('audit', 'retention_days', 200);
    await store('monitoring', 'retention_days', 30);
    // What was not edited follows the change.
    const followed = () =>
      page.getByRole('spinbutton', { name: 'Retention of monitoring records' }).inputValue();
    await expect.poll(followed, { timeout: 30_000 }).toBe('30');
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Changed by another administrator').waitFor();
    await expectGood(page, 'parameters-conflict');
    await dialog.getByRole('radio', { name: /Mine/ }).check();
    await dialog.getByRole('button', { name: 'Save the chosen values' }).click();
    await page.getByText('1 parameter is saved').waitFor();
    expect(await stored('audit', 'retention_days')).toBe(100);
    await store('audit', 'retention_days', 365);
    await store('monitoring', 'retention_days', 90);
  });

  it('saves beside another parameter that is changed at the same moment', async () => {
    const page = await tabs.open('/parameters');
    await page.getByRole('spinbutton', { name: 'Retention of audit events' }).fill('150');
    // The change of the other administrator reaches the portal while the request is on its way.
    await page.route(
      '**/tconfig',
      async (route) => {
        await store('monitoring', 'retention_days', 40);
        await route.continue();
      },
      { times: 1 },
    );
    const statuses: number[] = [];
    page.on('response', (response) => {
      if (response.request().method() === 'PUT') statuses.push(response.status());
    });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('1 parameter is saved').waitFor();
    expect(statuses).toEqual([412, 200]);
    expect(await stored('audit', 'retention_days')).toBe(150);
    expect(await stored('monitoring', 'retention_days')).toBe(40);
    await store('audit', 'retention_days', 365);
    await store('monitoring', 'retention_days', 90);
  });

  it('is good to look at, in both languages and schemes, in every width', async () => {
    await store('session', 'idle_s', 900);
    for (const [locale, colorScheme, width] of looks) {
      const viewport = { width, height: 900 };
      const page = await tabs.open('/parameters', { locale, colorScheme, viewport });
      await rowOf(page, 'session.idle_s').getByRole('spinbutton').fill('1200');
      await page.getByRole('status').filter({ hasText: '1' }).first().waitFor();
      await expectGood(page, `parameters-${locale}-${colorScheme}`);
    }
    await store('session', 'idle_s', 1_800);
  });
});
