/**
 * Draws the PNG files of the built-in icon: `node shared/tooling/launch.mjs test/support/pages/draw-icons.ts`.
 * Icons that systems cut to a shape of their own have no corners; the drawing is within the circle that all shapes contain.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { iconSvg } from '../../../shared/http/pages/default-icon.ts';
import { root } from '../../../shared/tooling/build/bundles.ts';
import { launchBrowser } from '../../e2e/support/browser.ts';

const icons = [
  { name: 'icon-192', pixels: 192, radius: 8 },
  { name: 'icon-512', pixels: 512, radius: 8 },
  { name: 'maskable-192', pixels: 192, radius: 0 },
  { name: 'maskable-512', pixels: 512, radius: 0 },
  { name: 'apple-touch-icon', pixels: 180, radius: 0 },
];
const folder = join(root, 'shared', 'web', 'icons');

await mkdir(folder, { recursive: true });
const browser = await launchBrowser();
for (const { name, pixels, radius } of icons) {
  const page = await browser.newPage({ viewport: { width: pixels, height: pixels } });
  const drawing = iconSvg(radius).replace('<svg ', `<svg width="${pixels}" height="${pixels}" `);
  await page.setContent(`<body style="margin:0">${drawing.replace('<svg ', '<svg style="display:block" ')}`);
  await writeFile(join(folder, `${name}.png`), await page.screenshot({ omitBackground: true }));
}
await browser.close();
