import { type UseQueryResult, useQuery } from '@tanstack/preact-query';
import type { Operations } from '../../../../../shared/client/portal-client.ts';
import { portal } from '../../../../../shared/web/client/session.ts';

export type UserAccess = Operations['user.showAccess']['answer'];
export type LoginSession = UserAccess['sessions']['items'][number];
export type ServiceToken = UserAccess['tokens']['items'][number];

/** What a user may do, and the sessions, tokens and lock-outs of the user: one request. */
export const useAccess = (id: string): UseQueryResult<UserAccess> =>
  useQuery({
    queryKey: ['access', 'userAccess', id],
    queryFn: () => portal.call('user.showAccess', { path: { id } }),
  });
