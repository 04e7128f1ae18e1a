import type { Area } from '../shell/area.ts';
import { accountSegment } from './entry.ts';

/** The account of the user, as on the page of the user, which a portal for administrators does not have. */
export const account: Area = {
  screens: [
    {
      segment: accountSegment,
      title: 'account',
      permissions: [],
      load: async () => (await import('./page.tsx')).AccountPage,
    },
  ],
};
