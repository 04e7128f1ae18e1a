import { randomToken } from '../../kernel/crypto/digests.ts';
import type { Language } from '../../messages/languages.ts';
import { Document } from '../serve/answer.ts';
import type { Assets } from './assets.ts';
import { accentsOf, type Branding, frameColors } from './branding.ts';
import { pageHeaders } from './policy.ts';
import { fill } from './template.ts';
import { type WebPage, type WebPageName, type WebPages, webPages, webPagesName } from './web-pages.ts';

export type AppParts = {
  name: WebPageName;
  language: Language;
  branding: Branding;
  /** Addresses of the manifest and the icon for the start page of a phone, if the page can be installed. */
  installed?: { manifest: string; touch_icon: string };
  /** The page may show pictures of this portal, and be installed. Default: true. */
  ownParts?: boolean;
  /**
   * Data for the script, besides the branding. `first` names the paths that the browser requests as the user before the
   * scripts of the page are loaded; it is absent on a page without a user.
   */
  facts: Record<string, unknown> & { first?: readonly string[] };
};

/** The names of the built files of a page. */
export async function webPageOf(assets: Assets, name: WebPageName): Promise<WebPage> {
  const pages: WebPages = JSON.parse(await assets.text(webPagesName));
  return pages[name];
}

/** Members of the branding that the frame shows. */
const shown = ['site_name', 'logo', 'support_link', 'footer_text', 'copyright', 'copyright_link'];

/** Renders the document of a page that is built from browser code. The code is in files that never change. */
export async function renderApp(assets: Assets, parts: AppParts): Promise<Document> {
  const { name, language, branding, installed, facts, ownParts = true } = parts;
  const [page, template, boot, words] = await Promise.all([
    webPageOf(assets, name),
    assets.text('app.html'),
    assets.text('boot.js'),
    assets.text(`${name}.${language}.json`),
  ]);
  const texts: Record<string, string> = JSON.parse(words);
  const nonce = randomToken(16);
  const addressOf = (file: string): string => `${webPages[name].files}/${file}`;
  const shownFacts = Object.fromEntries(shown.map((member) => [member, branding[member] ?? '']));
  const html = fill(template, {
    ...texts,
    ...branding,
    ...accentsOf(branding),
    ...installed,
    ...frameColors,
    language,
    nonce,
    style: addressOf(page.style),
    script: addressOf(page.script),
    texts: addressOf(page.texts[language]),
    // A text must not end the script element that contains it.
    '&facts': JSON.stringify({
      ...{ ...shownFacts, ...facts, language, build: page.offline?.build },
      records: page.records && addressOf(page.records[language]),
    }).replaceAll('<', '\\u003c'),
    '&first': page.first.map((file) => `<link rel="modulepreload" href="${addressOf(file)}">`).join('\n'),
    '&boot': boot,
  });
  return new Document(html, 'text/html; charset=utf-8', {
    ...pageHeaders(nonce, { ownFiles: true, ownParts }),
    vary: 'accept-language, cookie',
  });
}
