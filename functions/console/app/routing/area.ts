import type { Area } from '../shell/area.ts';

/** Rules, gateways, tags and maintenance. */
export const routing: Area = {};
