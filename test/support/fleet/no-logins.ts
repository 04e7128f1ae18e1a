import type { LoginGuard } from '../../../shared/remotes/dispatcher/port.ts';

/** For dispatchers on which the portal has no account. */
export const noLogins: LoginGuard = {
  attempt: () => Promise.reject(new Error('no login is expected')),
};
