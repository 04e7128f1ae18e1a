import type { PortalType } from '../modules.ts';

export type Portal = 'admin' | 'user';

/** True if a domain serves the user. Staff are users with at least one role. */
export const isServed = (subjects: 'all' | 'users' | 'staff', isStaff: boolean): boolean =>
  subjects === 'all' || (subjects === 'staff') === isStaff;

/**
 * Returns the portal that a user works on: the portal type. A universal portal returns `admin` for users with a role.
 * @param requested the portal that the login requires
 * @returns undefined if the user cannot use the portal
 */
export function portalFor(type: PortalType, isStaff: boolean, requested?: Portal): Portal | undefined {
  const portal = requested ?? (type === 'universal' ? (isStaff ? 'admin' : 'user') : type);
  const exists = type === 'universal' || portal === type;
  return exists && (portal === 'user' || isStaff) ? portal : undefined;
}
