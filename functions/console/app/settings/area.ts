import type { Area } from '../shell/area.ts';

/** System parameters, appearance, certificates and the nodes of the portal. */
export const settings: Area = {};
