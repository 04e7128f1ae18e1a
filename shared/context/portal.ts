import type { PortalType } from '../modules.ts';

export type Portal = 'admin' | 'user';

/** Whether a domain serves somebody: staff holds a role, users hold none. */
export const isServed = (subjects: 'all' | 'users' | 'staff', isStaff: boolean): boolean =>
  subjects === 'all' || (subjects === 'staff') === isStaff;

/**
 * The portal that somebody works on: the portal type; on the universal one `admin` for whoever holds a role.
 * @param asked the one that he insists on
 * @returns undefined where he has no business
 */
export function portalFor(type: PortalType, isStaff: boolean, asked?: Portal): Portal | undefined {
  const portal = asked ?? (type === 'universal' ? (isStaff ? 'admin' : 'user') : type);
  const exists = type === 'universal' || portal === type;
  return exists && (portal === 'user' || isStaff) ? portal : undefined;
}
