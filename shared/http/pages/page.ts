import { findTheme } from '../../../db/repositories/settings/themes.ts';
import type { BaseDeps } from '../../context/context.ts';
import { defaultSiteName } from '../../kernel/branding.ts';
import { randomToken } from '../../kernel/crypto/digests.ts';
import type { Language } from '../../messages/languages.ts';
import { Document } from '../serve/answer.ts';
import type { Assets } from './assets.ts';
import { contrasting, readableOn } from './colors.ts';
import { defaultIcon } from './default-icon.ts';
import { pageHeaders } from './policy.ts';
import { fill, type Values } from './template.ts';

/** The branding of a page: texts, colours and pictures. Absent ones are empty. */
export type Branding = Values & { site_name: string; primary_color: string };

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
export async function readBranding({ db }: Pick<BaseDeps, 'db'>): Promise<{
  branding: Branding;
  defaultLanguage: Language;
  /** Web addresses of client programs by operating system. Absent ones are empty. */
  downloads: Values;
}> {
  const { branding, defaultLanguage } = await findTheme(db);
  return {
    branding: {
      ...Object.fromEntries(shown.map((name) => [name, textOf(branding[name])])),
      favicon: textOf(branding.favicon, defaultIcon),
      site_name: textOf(branding.site_name, defaultSiteName),
      primary_color: textOf(branding.primary_color, '#2563eb'),
    },
    defaultLanguage,
    downloads: textsIn(branding.client_downloads),
  };
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

/** The colours of texts on the primary colour, and in the primary colour on both backgrounds. */
export const accentsOf = ({ primary_color }: Pick<Branding, 'primary_color'>): Values => ({
  on_primary: contrasting(primary_color),
  primary_on_light: readableOn(grounds.light, primary_color),
  primary_on_dark: readableOn(grounds.dark, primary_color),
});

/** The backgrounds of `frame.css` with the lowest contrast: of pages in light colours, and of cards in dark ones. */
const grounds = { light: '#f5f6f8', dark: '#191d24' };

/** Colours of `frame.css` that the browser shows around a page: of its bar and its background. */
export const frameColors = {
  bar_light: '#ffffff',
  bar_dark: '#191d24',
  ground_light: '#f5f6f8',
  ground_dark: '#101318',
};

const allOf = (names: readonly string[], assets: Assets): Promise<string[]> =>
  Promise.all(names.map((name) => assets.text(name)));
