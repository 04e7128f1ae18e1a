import type { SignedInUser } from './user.ts';

type Place = { path: string; text: 'workplaces' | 'console' | 'reference' };

/** Pages for the users of each portal. The first one is opened after a sign-in. */
export const places: Record<SignedInUser['portal'], readonly [Place, ...Place[]]> = {
  admin: [
    { path: '/console/', text: 'console' },
    { path: '/api/docs/', text: 'reference' },
  ],
  user: [{ path: '/home/', text: 'workplaces' }],
};

/**
 * The page to open after a sign-in: the one that redirected here, or the first one for the user.
 * @param next a path of this portal
 * @returns undefined if the page that redirected here is for administrators, and the user is not one
 */
export function destinationOf({ portal }: SignedInUser, next: string | undefined): string | undefined {
  const [first] = places[portal];
  if (next === undefined || next === '/') return first.path;
  return isForOthers(portal, next) ? undefined : next;
}

/** True for a page of administrators and a user of the user portal. */
export const isForOthers = (portal: SignedInUser['portal'], next: string | undefined): boolean =>
  next !== undefined && next !== '/' && portal === 'user' && !/^\/(?:home|consent)(?:\/|$)/.test(next);
