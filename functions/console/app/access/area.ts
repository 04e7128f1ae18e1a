import type { Area } from '../shell/area.ts';

/** Domains, users, roles, sessions and tokens. */
export const access: Area = {};
