import type { Area } from '../shell/area.ts';

/** Audit log, monitoring journal and exports. */
export const journal: Area = {};
