import { findTheme } from '../../../db/repositories/settings/themes.ts';
import type { BaseDeps } from '../../context/context.ts';
import { defaultSiteName } from '../../kernel/branding.ts';
import { randomToken } from '../../kernel/crypto/digests.ts';
import type { Language } from '../../messages/languages.ts';
import { Document } from '../serve/answer.ts';
import type { Assets } from './assets.ts';
import { contrasting, readableOn } from './colors.ts';
import { pageHeaders } from './policy.ts';
import { fill, type Values } from './template.ts';

/** What a page shows of the branding: texts, colours and pictures, empty where there is none. */
export type Branding = Values & { site_name: string; primary_color: string };

export type PageParts = {
  /** Its files are `<name>.html`, `.css` and `.<language>.json`. */
  name: string;
  /** In the order in which they run, after that of the session. */
  scripts: readonly string[];
  language: Language;
  branding: Branding;
  /** Fills the template, besides texts and branding. */
  values?: Values;
  /** What the script is told, besides the texts. */
  facts: Record<string, unknown>;
  /** Its script loads further scripts and styles of this portal. */
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

/** Without one a browser asks for a picture that is not there. */
const defaultIcon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%232563eb'/%3E%3Cpath d='M8 10h16v9H8zM13 23h6' fill='none' stroke='%23fff' stroke-width='2.5' stroke-linecap='round' stroke-linejoin='round'/%3E%3C/svg%3E";

const textOf = (value: unknown, otherwise = ''): string =>
  typeof value === 'string' && value !== '' ? value : otherwise;

/** The branding, and the language of the installation. */
export async function readBranding({
  db,
}: Pick<BaseDeps, 'db'>): Promise<{ branding: Branding; defaultLanguage: Language }> {
  const { branding, defaultLanguage } = await findTheme(db);
  return {
    branding: {
      ...Object.fromEntries(shown.map((name) => [name, textOf(branding[name])])),
      favicon: textOf(branding.favicon, defaultIcon),
      site_name: textOf(branding.site_name, defaultSiteName),
      primary_color: textOf(branding.primary_color, '#2563eb'),
    },
    defaultLanguage,
  };
}

/**
 * A page as one document: it asks for nothing but the API of this portal, and runs nothing but the scripts that this
 * answer carries.
 */
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
    nonce,
    on_primary: contrasting(branding.primary_color),
    primary_on_light: readableOn(grounds.light, branding.primary_color),
    primary_on_dark: readableOn(grounds.dark, branding.primary_color),
    '&style': `${frameStyle}\n${style}`,
    '&body': fill(body ?? '', known),
    // Nothing in a text may end the element that it stands in.
    '&facts': JSON.stringify({ ...facts, language, texts: spoken }).replaceAll('<', '\\u003c'),
    '&scripts': scripts
      .map((script) => `<script nonce="${nonce}" type="module">\n${script}</script>`)
      .join('\n'),
  });
  return new Document(html, 'text/html; charset=utf-8', {
    ...pageHeaders(nonce, parts.loadsOwnFiles),
    vary: 'accept-language, cookie',
  });
}

/** The grounds of `frame.css` that are hardest to read on. */
const grounds = { light: '#f5f6f8', dark: '#191d24' };

const allOf = (names: readonly string[], assets: Assets): Promise<string[]> =>
  Promise.all(names.map((name) => assets.text(name)));
