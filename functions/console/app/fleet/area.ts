import type { Area } from '../shell/area.ts';

/** Pools, workplaces and their sessions. */
export const fleet: Area = {
  extensions: {
    servicespool: async () => (await import('./parts/pools.tsx')).pools,
    workplace: async () => (await import('./parts/workplaces.tsx')).workplaces,
    spsession: async () => (await import('./parts/sessions.tsx')).sessions,
  },
};
