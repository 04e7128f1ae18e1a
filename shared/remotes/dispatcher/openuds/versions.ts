/*
 * What differs between the versions of the broker: 3.6, 4.0 and 5.0. The version is a text such as `4.0.0` or
 * `3.x.x-DEVEL`; only its first number counts.
 */

type Generation = '3.6' | '4.0' | '5.0';

export type Dialect = {
  generation: Generation;
  /** The header that carries a session key. */
  keyHeader: (session: string) => Record<string, string>;
  /**
   * Version 3.6 stores a new session for each request without a cookie. Later versions bind sessions of cookies to an
   * address, so there the cookie must not be sent.
   */
  sendsCookie: boolean;
  /**
   * Where the services of a user are read. In version 5.0 the REST interface answers with the names of the members
   * instead of their values, so the list of the broker's own page is read, which needs the session as a cookie.
   */
  servicesFrom: 'rest' | 'page';
  /** How a list of users is reduced to a name: by a pattern, by OData, or not at all. */
  userFilter: 'pattern' | 'odata' | 'none';
  /** The method of requests that have an effect. */
  actionMethod: 'GET' | 'POST';
  /** Answers of a successful reset; version 3.6 and 4.0 answer 400. */
  resetStatuses: readonly number[];
  names: {
    setFallbackAccess: string;
    /** Member of a pool, and parameter of the request above. */
    fallbackAccess: string;
    userServices: string;
    /** Member of a workplace with the id of its pool. */
    poolOfWorkplace: string;
    rdpPort: string;
    osLogout: string;
    osDeadline: string;
  };
  /** Members of a pool that must be sent with each change, besides those of all versions. */
  poolMembers: readonly string[];
};

const header36 = (session: string) => ({ 'x-auth-token': session });

const v36: Dialect = {
  generation: '3.6',
  keyHeader: header36,
  sendsCookie: true,
  servicesFrom: 'rest',
  userFilter: 'pattern',
  actionMethod: 'GET',
  resetStatuses: [200, 400],
  names: {
    setFallbackAccess: 'setFallbackAccess',
    fallbackAccess: 'fallbackAccess',
    userServices: 'userServices',
    poolOfWorkplace: 'id_deployed_service',
    rdpPort: 'rdpPort',
    osLogout: 'onLogout',
    osDeadline: 'deadLine',
  },
  poolMembers: [],
};

const v40: Dialect = {
  ...v36,
  generation: '4.0',
  sendsCookie: false,
  userFilter: 'none',
  names: { ...v36.names, rdpPort: 'rdp_port', osLogout: 'on_logout', osDeadline: 'deadline' },
  poolMembers: ['custom_message', 'display_custom_message'],
};

const v50: Dialect = {
  ...v40,
  generation: '5.0',
  keyHeader: (session) => ({ authorization: `Bearer ${session}` }),
  servicesFrom: 'page',
  userFilter: 'odata',
  actionMethod: 'POST',
  resetStatuses: [200],
  names: {
    ...v40.names,
    setFallbackAccess: 'fallback_access',
    fallbackAccess: 'fallback_access',
    userServices: 'user_services',
    poolOfWorkplace: 'pool_id',
  },
};

const dialects: Record<string, Dialect> = { 3: v36, 4: v40, 5: v50 };

/** The dialect of a version. A later version is treated as the latest one that is known here. */
export function dialectOf(version: string): Dialect {
  const [first = ''] = /^\d+/.exec(version) ?? [];
  const found = dialects[first];
  if (found) return found;
  return Number(first) > 5 ? v50 : v36;
}
