import { type QueryClient, type UseQueryResult, useQuery } from '@tanstack/preact-query';
import type { Operations } from '../../client/portal-client.ts';
import { portal } from '../client/session.ts';

export type Profile = Operations['userinfo.get']['answer'];

const key = ['own', 'user'];

/** The user of the page, as the portal has them now. */
export const useProfile = (): UseQueryResult<Profile> =>
  useQuery({ queryKey: key, queryFn: () => portal.call('userinfo.get') });

/** After a change of the account. */
export const renewProfile = (client: QueryClient): Promise<void> =>
  client.invalidateQueries({ queryKey: key });
