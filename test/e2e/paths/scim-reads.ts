import type { Seeded } from '../twins/twins.ts';
import type { Question } from './questions.ts';

/** Reads of SCIM, which accept only tokens for provisioning. */
export function scimReads({ domain, tokens }: Seeded): Record<string, Question[]> {
  const base = '/scim/v2/{auth_uuid}';
  const paths = {
    [`${base}/ServiceProviderConfig`]: '/ServiceProviderConfig',
    [`${base}/ResourceTypes`]: '/ResourceTypes',
    [`${base}/ResourceTypes/{name}`]: '/ResourceTypes/User',
    [`${base}/Schemas`]: '/Schemas',
    [`${base}/Schemas/{name}`]: '/Schemas/none',
    [`${base}/Users`]: '/Users?filter=x',
    [`${base}/Users/{id}`]: '/Users/none',
    [`${base}/Groups`]: '/Groups?count=1',
    [`${base}/Groups/{id}`]: '/Groups/none',
  };
  return Object.fromEntries(
    Object.entries(paths).map(([template, end]) => {
      const path = `/scim/v2/${domain.id}${end}`;
      const headers = { authorization: `Bearer ${tokens.admin}` };
      return [
        template,
        [
          { path, who: 'anonymous', status: 401 },
          { path, who: 'anonymous', headers, status: 403 },
        ],
      ];
    }),
  );
}
