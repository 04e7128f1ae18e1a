import { readFile } from 'node:fs/promises';
import { afterAll, expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import {
  addFarm,
  addMember,
  addNode,
  addPicture,
  addRole,
  addRule,
  addSite,
  addUser,
  goodPassword,
  memberOf,
  picturesPath,
  pool,
  rulesPath,
  type SimulatedNode,
} from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { goTo, signIn, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { looks } from '../../support/pages/looks.ts';
import { dataUri, png, svg } from '../../support/pictures.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

const fileOf = (name: string, buffer: Buffer, mimeType = 'image/png') => ({ name, mimeType, buffer });
const drawing = (color: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64"><circle cx="32" cy="32" r="28" fill="${color}"/></svg>`;

requireService('chromium', hasChromium)('the picture gallery in the console', () => {
  let node: SimulatedNode;
  let rule: Json;
  const tabs = useConsoleTabs(async ({ world, origin }) => {
    const { admin, domain } = world;
    const site = await addSite(admin, { name: 'North', uri: 'north', authenticators: [domain.id] });
    const farm = await addFarm(admin, site, { name: 'North farm' });
    node = await addNode(world, farm, { simulator: { issuer: origin }, pools: [pool('Office')] });
    const { uuid } = node.simulator.state.poolNamed('Office');
    const members = [memberOf(farm, { servicepool_uuid: uuid })];
    rule = await addRule(admin, site, { name: 'Office desktop', match_tags: null, members });
  });
  afterAll(() => node?.simulator.close());
  const stored = async (search = ''): Promise<Json[]> =>
    (await tabs.stand.world.admin(`GET ${picturesPath}?search=${encodeURIComponent(search)}`)).body.items;
  const tile = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });
  const files = (page: Page) => page.getByLabel('Picture files');
  /** The size that the decoder of the browser finds. */
  const decoded = (page: Page, name: string) =>
    tile(page, name)
      .locator('img')
      .evaluate(async (image: HTMLImageElement) => {
        await image.decode();
        return [image.naturalWidth, image.naturalHeight];
      });

  it('says what to do first, and takes several files, one of which is no picture', async () => {
    const page = await tabs.open('/picture');
    await page.getByRole('heading', { name: 'The gallery has no pictures yet' }).waitFor();
    await expectGood(page, 'gallery-empty');
    await files(page).setInputFiles([
      fileOf('Globe.png', png(40, 24)),
      fileOf('Notes.png', Buffer.from('<html><script>alert(1)</script></html>')),
      fileOf('Sun.svg', Buffer.from(drawing('#f59e0b')), 'image/svg+xml'),
      fileOf('Photo.jpg', await photo(page, 2_400, 1_600), 'image/jpeg'),
    ]);
    await page.getByText('Notes.png is not added').waitFor();
    await page.getByText('The file cannot be read as a picture.').waitFor();
    await page.getByText('3 pictures are added').waitFor();
    expect(await decoded(page, 'Globe')).toEqual([40, 24]);
    expect(await decoded(page, 'Photo')).toEqual([512, 341]);
    expect((await decoded(page, 'Sun'))[0]).toBe(64);
    const [kept] = await stored('Photo');
    expect([kept?.media_type, kept?.bytes < 262_144]).toEqual(['image/webp', true]);
    await tile(page, 'Globe').getByText('Not used').waitFor();
    await expectGood(page, 'gallery-failed');
    const first = page.getByRole('list', { name: 'Picture gallery' }).getByRole('link').first();
    expect(await first.innerText()).toBe('Globe');
    await page.getByLabel('Order').selectOption('Newest first');
    await expect.poll(() => first.innerText()).toBe('Photo');
    expect(page.url()).toContain('sort=-created_at');
    await page.getByRole('alert').getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => page.getByText('Notes.png').count()).toBe(0);
  });

  it('takes a file by the form, which can be tried, and saves it under its name', async () => {
    const page = await tabs.open('/picture');
    await page.getByRole('link', { name: 'Add picture' }).click();
    await page.getByLabel('Name', { exact: true }).fill('By/form');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('One entry is not valid').waitFor();
    const bytes = png(33, 34);
    const input = page.getByLabel('Picture', { exact: true }).and(page.locator('input[type=file]'));
    await input.setInputFiles(fileOf('form.png', bytes));
    await page.getByRole('img', { name: 'Preview: Picture' }).waitFor();
    await page.getByRole('button', { name: 'Try first' }).click();
    await page.getByRole('dialog').getByText('Nothing is changed yet.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    expect(await stored('By/form')).toEqual([]);
    await expectGood(page, 'gallery-form');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'By/form', level: 1 }).waitFor();
    await page.getByText('33 × 34 pixels').waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const download = await saved;
    expect(download.suggestedFilename()).toBe('By_form.png');
    expect(bytes.equals(await readFile(await download.path()))).toBe(true);
    await page.getByRole('link', { name: 'Rename' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Renamed');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Renamed', exact: true, level: 1 }).waitFor();
  });

  it('takes dropped and pasted files, renames equal names, and names the picture that it has already', async () => {
    const page = await tabs.open('/picture');
    await files(page).waitFor({ state: 'attached' });
    await given(page, 'drop', 'Shared name.png', png(11, 12));
    await tile(page, 'Shared name').waitFor();
    await given(page, 'paste', 'Shared name.png', png(12, 13));
    await tile(page, 'Shared name 2').waitFor();
    await given(page, 'paste', 'Other name.png', png(12, 13));
    await page.getByText('Other name.png is not added').waitFor();
    await page.getByRole('link', { name: 'The gallery has the same picture already' }).click();
    await page.getByRole('heading', { name: 'Shared name 2', level: 1 }).waitFor();
    expect(await stored('Other name')).toEqual([]);
  });

  it('is chosen from in a form by the keyboard, and the user sees the picture', async () => {
    const { world } = tabs.stand;
    const picture = await addPicture(world.admin, {
      name: 'Blue circle',
      image: dataUri('svg+xml', drawing('#2563eb')),
    });
    const page = await tabs.open(`/rule/${rule.id}/edit`);
    await page.getByRole('button', { name: 'Choose from the gallery' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('searchbox').fill('blue');
    await expect.poll(() => dialog.getByRole('radio').count()).toBe(1);
    await dialog.getByRole('radio', { name: 'Blue circle' }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await expect.poll(() => dialog.count()).toBe(0);
    await page.getByRole('img', { name: 'Blue circle' }).waitFor();
    await page.getByRole('button', { name: 'Try first' }).click();
    await dialog.getByText('Nothing is changed yet.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('definition').getByRole('link', { name: 'Blue circle' }).waitFor();
    expect((await world.admin(`GET ${rulesPath}/${rule.id}`)).body.image_id).toBe(picture.id);
    await expectPictureAtHome([64, 64]);
  });

  it('is not needed for a file of a rule, which replaces its picture and can be removed', async () => {
    const { admin } = tabs.stand.world;
    const page = await tabs.open(`/rule/${rule.id}/edit`);
    const input = page.getByLabel('Picture', { exact: true }).and(page.locator('input[type=file]'));
    await input.setInputFiles(fileOf('page.html', Buffer.from('<html></html>'), 'text/html'));
    await page.getByText('The file cannot be read as a picture.').waitFor();
    await input.setInputFiles(fileOf('Own.png', png(48, 48)));
    await page.getByRole('img', { name: 'Preview: Picture' }).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('img', { name: 'A picture that is not in the gallery' }).waitFor();
    const { image_id } = (await admin(`GET ${rulesPath}/${rule.id}`)).body;
    expect((await admin(`GET ${picturesPath}/${image_id}`)).status).toBe(404);
    await expectPictureAtHome([48, 48]);
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    const shown = async () => (await admin(`GET ${rulesPath}/${rule.id}`)).body.image_id;
    await expect.poll(shown, { timeout: 20_000 }).toBeNull();
  });

  it('deletes a picture after a question, unless a rule shows it', async () => {
    const { admin } = tabs.stand.world;
    const picture = await addPicture(admin, {
      name: 'Red circle',
      image: dataUri('svg+xml', drawing('#dc2626')),
    });
    await admin(`PATCH ${rulesPath}/${rule.id}`, { image_id: picture.id });
    const page = await tabs.open('/picture');
    const remove = async () => {
      await page.getByRole('button', { name: 'Actions for Red circle' }).click();
      await tile(page, 'Red circle').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    };
    await tile(page, 'Red circle').getByRole('link', { name: 'In 1 rule' }).waitFor();
    await remove();
    await page.getByRole('dialog').getByRole('link', { name: 'Office desktop' }).waitFor();
    await expectGood(page, 'gallery-in-use');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await admin(`PATCH ${rulesPath}/${rule.id}`, { image_id: null });
    // The change is announced.
    await tile(page, 'Red circle').getByText('Not used').waitFor();
    await remove();
    await page.getByText('Red circle is deleted').waitFor();
    await expect.poll(() => tile(page, 'Red circle').count()).toBe(0);
    expect(await stored('Red circle')).toEqual([]);
  });

  it('runs no scripts of a picture, and offers no changes to an administrator of one site', async () => {
    const { world } = tabs.stand;
    const hostile = svg('<script>document.title = "hostile"</script><path onload="alert(1)" d="M0 0h1v1"/>');
    await addPicture(world.admin, { name: 'Hostile', image: dataUri('svg+xml', hostile) });
    // The gallery belongs to all sites.
    const site = await addSite(world.admin);
    const scope = { sites: [site.id] };
    const all = ['pictures.read', 'pictures.create', 'pictures.update', 'pictures.delete'];
    const role = await addRole(world.admin, all, { scope });
    const user = await addUser(world.admin, world.domain, { name: 'viewer', roles: [role.id] });
    const account = { domain: world.domain.name, name: user.name, password: goodPassword };
    const page = await tabs.open('/picture', undefined, account);
    await tile(page, 'Hostile').waitFor();
    expect(await page.title()).not.toContain('hostile');
    expect(await files(page).count()).toBe(0);
    await page.getByRole('button', { name: 'Actions for Hostile' }).click();
    await tile(page, 'Hostile').getByRole('button', { name: 'Download' }).waitFor();
    expect(await tile(page, 'Hostile').getByRole('button', { name: 'Delete' }).count()).toBe(0);
  });

  it('is good to look at, in both languages and schemes, in every width', async () => {
    const { admin } = tabs.stand.world;
    for (const color of ['#0d9488', '#7c3aed', '#be185d', '#4d7c0f'])
      await addPicture(admin, { name: `A circle of ${color}`, image: dataUri('svg+xml', drawing(color)) });
    const [shown] = await stored('A circle');
    await admin(`PATCH ${rulesPath}/${rule.id}`, { image_id: shown?.id });
    for (const [locale, scheme, width] of looks) {
      const page = await tabs.open('/picture', {
        locale,
        colorScheme: scheme,
        viewport: { width, height: 900 },
      });
      const name = (what: string) => `gallery-${what}-${locale}-${scheme}`;
      await tile(page, '#7c3aed').locator('img').waitFor();
      await expectGood(page, name('tiles'));
      await goTo(page, `/picture/${shown?.id}`);
      await page.locator('img[alt^="A circle"]').first().waitFor();
      await expectGood(page, name('record'));
      await goTo(page, `/rule/${rule.id}/edit`);
      await page.locator('img[alt^="A circle"]').first().waitFor();
      await expectGood(page, name('input'));
      await page.getByRole('button', { name: /Choose from the gallery|Выбрать из галереи/ }).click();
      await page.getByRole('dialog').locator('img').first().waitFor();
      await expectGood(page, name('chooser'));
    }
  });

  /** A user of the site sees the picture of the rule. */
  async function expectPictureAtHome(size: readonly number[]): Promise<void> {
    const { stand } = tabs;
    const { domain } = stand.world;
    const member = await addMember(stand.world, []);
    const tab = await stand.open('/home/');
    await signIn(tab.page, { domain: domain.name, name: member.user.name, password: goodPassword });
    const image = tab.page.getByRole('article').filter({ hasText: 'Office desktop' }).locator('img');
    await image.waitFor();
    expect(
      await image.evaluate(async (element: HTMLImageElement) => {
        await element.decode();
        return [element.naturalWidth, element.naturalHeight];
      }),
    ).toEqual(size);
    await expectGood(tab.page, 'gallery-home');
    await tab.close();
  }
});

/** A photo that compresses badly, drawn and encoded by the browser. */
async function photo(page: Page, width: number, height: number): Promise<Buffer> {
  const uri = await page.evaluate(
    ([w = 1, h = 1]) => {
      const canvas = document.createElement('canvas');
      canvas.width = w;
      canvas.height = h;
      const context = canvas.getContext('2d');
      for (let at = 0; context && at < 20_000; at++) {
        context.fillStyle = `hsl(${(at * 47) % 360} 70% ${20 + (at % 60)}%)`;
        context.fillRect((at * 7_919) % w, (at * 104_729) % h, 24, 24);
      }
      return canvas.toDataURL('image/jpeg', 0.95);
    },
    [width, height],
  );
  const bytes = Buffer.from(uri.split(',')[1] ?? '', 'base64');
  expect(bytes.length).toBeGreaterThan(262_144);
  return bytes;
}

/** Drops or pastes a file into the page. */
const given = (page: Page, how: 'drop' | 'paste', name: string, bytes: Buffer): Promise<void> =>
  page.evaluate(
    ([event, fileName, content]) => {
      const data = new DataTransfer();
      const binary = Uint8Array.from(atob(content), (sign) => sign.charCodeAt(0));
      data.items.add(new File([binary], fileName, { type: 'image/png' }));
      const input = document.querySelector('input[type=file]');
      const happening =
        event === 'drop'
          ? new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })
          : new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
      (event === 'drop' ? input?.parentElement : document.body)?.dispatchEvent(happening);
    },
    [how, name, bytes.toString('base64')] as const,
  );
