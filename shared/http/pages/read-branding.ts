import { findTheme } from '../../../db/repositories/settings/themes.ts';
import type { BaseDeps } from '../../context/context.ts';
import type { Language } from '../../messages/languages.ts';
import { type Branding, defaultBranding, lastBranding } from './branding.ts';
import type { Values } from './template.ts';

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
