import type { Area } from '../shell/area.ts';
import { setupPermissions, setupSegment } from './entry.ts';

/** The steps that add a site, and tests of connections on the pages of nodes, farms and sites. */
export const setup: Area = {
  screens: [
    {
      segment: setupSegment,
      title: 'setup_title',
      section: 'section_installation',
      permissions: setupPermissions,
      load: async () => (await import('./setup-page.tsx')).SetupPage,
    },
  ],
  extensions: {
    site: async () => (await import('./parts/site.tsx')).site,
    farm: async () => (await import('./parts/farm.tsx')).farm,
    dispatcher: async () => (await import('./parts/dispatcher.tsx')).dispatcher,
  },
};
