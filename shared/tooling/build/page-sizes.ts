import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type WebPageName, type WebPages, webPageNames, webPagesName } from '../../http/pages/web-pages.ts';
import { languages } from '../../messages/languages.ts';

/** Compressed bytes of what a browser loads before a page can be used: the script with the longest texts, and the style. */
export type PageSize = { name: WebPageName; scriptBytes: number; styleBytes: number };

/** Budgets in kB of 1000 bytes, compressed. */
const budgets: Record<WebPageName, { script: number; style: number }> = {
  // Without Swagger UI, which is loaded afterwards.
  docs: { script: 40, style: 20 },
  // With the texts of all areas; their code is loaded when a place is opened.
  console: { script: 90, style: 20 },
  signin: { script: 30, style: 12 },
  home: { script: 60, style: 20 },
};

/** @param folder of the built assets */
export async function pageSizes(folder: string): Promise<PageSize[]> {
  const pages: WebPages = JSON.parse(await readFile(join(folder, webPagesName), 'utf8'));
  const sizeOf = async (file: string): Promise<number> =>
    gzipSync(await readFile(join(folder, file)), { level: 9 }).length;
  return Promise.all(
    webPageNames.map(async (name) => {
      const { script, first, style, texts } = pages[name];
      const ofTexts = await Promise.all(languages.map((language) => sizeOf(texts[language])));
      const ofScripts = await Promise.all([script, ...first].map(sizeOf));
      return {
        name,
        scriptBytes: ofScripts.reduce((sum, size) => sum + size, Math.max(...ofTexts)),
        styleBytes: await sizeOf(style),
      };
    }),
  );
}

export const pageLine = ({ name, scriptBytes, styleBytes }: PageSize): string =>
  `page ${name}: ${kilobytes(scriptBytes)} kB of scripts, ${kilobytes(styleBytes)} kB of styles, gzip -9\n`;

/** @returns a line for each page above its budget */
export const pagesOverBudget = (pages: readonly PageSize[]): string[] =>
  pages
    .filter(({ name, scriptBytes, styleBytes }) => {
      const budget = budgets[name];
      return scriptBytes > budget.script * 1000 || styleBytes > budget.style * 1000;
    })
    .map(({ name, ...size }) => `Above its budget: ${pageLine({ name, ...size }).trimEnd()}`);

const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(1);
