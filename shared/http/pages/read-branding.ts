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
export async function readBranding(deps: Pick<BaseDeps, 'db' | 'memory' | 'clock'>): Promise<{
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
  Object.assign(lastBranding(deps), { branding, readAt: deps.clock().getTime() });
  return { branding, defaultLanguage, downloads: textsIn(stored.client_downloads) };
}

/** Milliseconds for which the branding of memory is shown, and those between two attempts to read it. */
const [freshMs, betweenMs] = [600_000, 60_000];
/** Milliseconds that a page waits for it. */
const patienceMs = 500;

/**
 * The branding of a page about a refusal: that of memory, because refused requests must cause no reads. A process without
 * other pages, such as a module of its own, reads it at most once a minute. Without a database the page is shown as well.
 */
export async function messageBranding(deps: Pick<BaseDeps, 'db' | 'memory' | 'clock'>): Promise<Branding> {
  const last = lastBranding(deps);
  const now = deps.clock().getTime();
  if (now - last.readAt > freshMs && now - last.triedAt > betweenMs) {
    last.triedAt = now;
    const read = readBranding(deps).catch(() => undefined);
    await Promise.race([read, new Promise((resolve) => void setTimeout(resolve, patienceMs))]);
  }
  return last.branding;
}
