import { findTheme } from '../../../db/repositories/settings/themes.ts';
import type { BaseDeps } from '../../context/context.ts';
import { randomToken } from '../../kernel/crypto/digests.ts';
import type { Language } from '../../messages/languages.ts';
import { Document } from '../serve/answer.ts';
import type { Assets } from './assets.ts';
import { accentsOf, type Branding, defaultBranding, lastBranding } from './branding.ts';
import { pageHeaders } from './policy.ts';
import { fill, type Values } from './template.ts';

export type PageParts = {
  /** The files of the page are `<name>.html`, `<name>.css` and `<name>.<language>.json`. */
  name: string;
  /** Scripts in the order in which they run, after the session script. */
  scripts: readonly string[];
  language: Language;
  branding: Branding;
  /** Further values for the template, besides texts and branding. */
  values?: Values;
  /** Data for the script, besides the texts. */
  facts: Record<string, unknown>;
  /** The script of the page loads further scripts and styles of this portal. */
  loadsOwnFiles?: boolean;
};

/** Members of the branding that pages show. */
const shown = [
  'logo',
  'favicon',
  'login_background',
  'login_text',
  'footer_text',
  'copyright',
  'copyright_link',
  'support_link',
];

const textOf = (value: unknown, otherwise = ''): string =>
  typeof value === 'string' && value !== '' ? value : otherwise;

const textsIn = (value: unknown): Values =>
  Object.fromEntries(Object.entries(value ?? {}).map(([name, text]) => [name, textOf(text)]));

/** Reads the branding and the default language of the installation. */
export async function readBranding(deps: Pick<BaseDeps, 'db' | 'memory'>): Promise<{
  branding: Branding;
  defaultLanguage: Language;
  /** Web addresses of client programs by operating system. Absent ones are empty. */
  downloads: Values;
}> {
  const { branding: stored, defaultLanguage } = await findTheme(deps.db);
  const branding: Branding = {
    ...Object.fromEntries(shown.map((name) => [name, textOf(stored[name])])),
    favicon: textOf(stored.favicon, defaultBranding.favicon),
    site_name: textOf(stored.site_name, defaultBranding.site_name),
    primary_color: textOf(stored.primary_color, defaultBranding.primary_color),
  };
  lastBranding(deps).branding = branding;
  return { branding, defaultLanguage, downloads: textsIn(stored.client_downloads) };
}

/** Renders a page as one document. It calls only the API of this portal, and runs only the scripts in this response. */
export async function renderPage(assets: Assets, parts: PageParts): Promise<Document> {
  const { name, language, branding, values = {}, facts } = parts;
  const [frame, frameStyle, body, style, words] = await allOf(
    ['frame.html', 'frame.css', `${name}.html`, `${name}.css`, `${name}.${language}.json`],
    assets,
  );
  const scripts = await allOf(['session.js', ...parts.scripts], assets);
  const spoken: Record<string, string> = JSON.parse(words ?? '{}');
  const nonce = randomToken(16);
  const known = { ...spoken, ...branding, language, ...values };
  const html = fill(frame ?? '', {
    ...known,
    ...accentsOf(branding),
    nonce,
    '&style': `${frameStyle}\n${style}`,
    '&body': fill(body ?? '', known),
    // A text must not end the script element that contains it.
    '&facts': JSON.stringify({ ...facts, language, texts: spoken }).replaceAll('<', '\\u003c'),
    '&scripts': scripts
      .map((script) => `<script nonce="${nonce}" type="module">\n${script}</script>`)
      .join('\n'),
  });
  return new Document(html, 'text/html; charset=utf-8', {
    ...pageHeaders(nonce, { ownFiles: parts.loadsOwnFiles ?? false }),
    vary: 'accept-language, cookie',
  });
}

const allOf = (names: readonly string[], assets: Assets): Promise<string[]> =>
  Promise.all(names.map((name) => assets.text(name)));
