import { perProcess } from '../../context/process-memory.ts';
import { defaultSiteName } from '../../kernel/branding.ts';
import { contrasting, grounds, readableOn } from '../../kernel/pictures/colors.ts';
import { defaultIcon } from './default-icon.ts';
import type { Values } from './template.ts';

/** The branding of a page: texts, colours and pictures. Absent ones are empty. */
export type Branding = Values & { site_name: string; primary_color: string; favicon: string };

/** The branding of an installation that has set none. */
export const defaultBranding: Branding = {
  site_name: defaultSiteName,
  primary_color: '#2563eb',
  favicon: defaultIcon,
};

/** The branding that this process or isolate has read last, and when, in milliseconds. */
export const lastBranding = perProcess<{ branding: Branding; readAt: number; triedAt: number }>(() => ({
  branding: defaultBranding,
  readAt: Number.NEGATIVE_INFINITY,
  triedAt: Number.NEGATIVE_INFINITY,
}));

/** The colours of texts on the primary colour, and in the primary colour on both backgrounds. */
export const accentsOf = ({ primary_color }: Pick<Branding, 'primary_color'>): Values => ({
  on_primary: contrasting(primary_color),
  primary_on_light: readableOn(grounds.light, primary_color),
  primary_on_dark: readableOn(grounds.dark, primary_color),
});

/** Colours of `frame.css` that the browser shows around a page: of its bar and its background. */
export const frameColors = {
  bar_light: '#ffffff',
  bar_dark: '#191d24',
  ground_light: '#f5f6f8',
  ground_dark: '#101318',
};
