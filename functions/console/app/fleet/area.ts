import type { Area } from '../shell/area.ts';

/** Pools, workplaces and their sessions. */
export const fleet: Area = {};
