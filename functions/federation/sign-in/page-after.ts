import type { LoginResult } from '../../../shared/identity/login/admission.ts';

const firstPages = { admin: '/console/', user: '/home/' } as const;

/** The page after a sign-in: the one that asked for it, or the first one of the portal. */
export function pageAfter({ portal, user }: LoginResult, next: string | undefined): string {
  if (user.must_change_password) return `/signin${next ? `?${new URLSearchParams({ next })}` : ''}`;
  if (next === undefined || next === '/') return firstPages[portal];
  // The sign-in page explains that the page is for administrators.
  const isForOthers = portal === 'user' && !/^\/(?:home|consent)(?:\/|$)/.test(next);
  return isForOthers ? `/signin?${new URLSearchParams({ next })}` : next;
}
