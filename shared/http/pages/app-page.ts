import { randomToken } from '../../kernel/crypto/digests.ts';
import type { Language } from '../../messages/languages.ts';
import { Document } from '../serve/answer.ts';
import type { Assets } from './assets.ts';
import { accentsOf, type Branding } from './page.ts';
import { pageHeaders } from './policy.ts';
import { fill } from './template.ts';
import { type WebPage, type WebPages, webPagesName } from './web-pages.ts';

export type AppParts = {
  /** The module of the page. Its browser code is in `functions/<name>/app`. */
  name: string;
  language: Language;
  branding: Branding;
  /** Data for the script, besides the branding. */
  facts: Record<string, unknown>;
};

/** The names of the built files of a page. */
export async function webPageOf(assets: Assets, name: string): Promise<WebPage> {
  const pages: WebPages = JSON.parse(await assets.text(webPagesName));
  const page = pages[name];
  if (!page) throw new Error(`the page ${name} was not built`);
  return page;
}

/** Members of the branding that the frame shows. */
const shown = ['site_name', 'logo', 'support_link', 'footer_text', 'copyright', 'copyright_link'];

/** Renders the document of a page that is built from browser code. The code is in files that never change. */
export async function renderApp(assets: Assets, parts: AppParts): Promise<Document> {
  const { name, language, branding, facts } = parts;
  const [page, template, boot, words] = await Promise.all([
    webPageOf(assets, name),
    assets.text('app.html'),
    assets.text('boot.js'),
    assets.text(`${name}.${language}.json`),
  ]);
  const texts: Record<string, string> = JSON.parse(words);
  const nonce = randomToken(16);
  const addressOf = (file: string): string => `/${name}/files/${file}`;
  const shownFacts = Object.fromEntries(shown.map((member) => [member, branding[member] ?? '']));
  const html = fill(template, {
    ...texts,
    ...branding,
    ...accentsOf(branding),
    language,
    nonce,
    style: addressOf(page.style),
    script: addressOf(page.script),
    texts: addressOf(page.texts[language]),
    // A text must not end the script element that contains it.
    '&facts': JSON.stringify({ ...shownFacts, ...facts, language }).replaceAll('<', '\\u003c'),
    '&first': page.first.map((file) => `<link rel="modulepreload" href="${addressOf(file)}">`).join('\n'),
    '&boot': boot,
  });
  return new Document(html, 'text/html; charset=utf-8', {
    ...pageHeaders(nonce, { ownFiles: true, ownParts: true }),
    vary: 'accept-language, cookie',
  });
}
