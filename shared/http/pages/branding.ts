import { perProcess } from '../../context/process-memory.ts';
import { defaultSiteName } from '../../kernel/branding.ts';
import { contrasting, readableOn } from './colors.ts';
import type { Values } from './template.ts';

/** The branding of a page: texts, colours and pictures. Absent ones are empty. */
export type Branding = Values & { site_name: string; primary_color: string; favicon: string };

/** The branding of an installation that has set none. */
export const defaultBranding: Branding = {
  site_name: defaultSiteName,
  primary_color: '#2563eb',
  // Without an icon, browsers request a file that does not exist.
  favicon:
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%232563eb'/%3E%3Cpath d='M8 10h16v9H8zM13 23h6' fill='none' stroke='%23fff' stroke-width='2.5' stroke-linecap='round' stroke-linejoin='round'/%3E%3C/svg%3E",
};

/** The branding that this process or isolate has read last. Pages that must not read the database show it. */
export const lastBranding = perProcess<{ branding: Branding }>(() => ({ branding: defaultBranding }));

/** The colours of texts on the primary colour, and in the primary colour on both backgrounds. */
export const accentsOf = ({ primary_color }: Pick<Branding, 'primary_color'>): Values => ({
  on_primary: contrasting(primary_color),
  primary_on_light: readableOn(grounds.light, primary_color),
  primary_on_dark: readableOn(grounds.dark, primary_color),
});

/** The backgrounds of `frame.css` with the lowest contrast. */
const grounds = { light: '#f5f6f8', dark: '#191d24' };
