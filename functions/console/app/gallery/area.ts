import type { Area } from '../shell/area.ts';

/** Pictures that rules show to users. */
export const gallery: Area = {
  extensions: {
    picture: async () => (await import('./extension.ts')).picture,
  },
};
