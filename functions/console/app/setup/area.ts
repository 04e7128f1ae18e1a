import type { Area } from '../shell/area.ts';

/** The steps that add a site. */
export const setup: Area = {};
