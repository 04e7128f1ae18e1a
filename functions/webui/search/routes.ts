import { base, endpoint } from '../deps.ts';
import { FoundObjects, SearchQuery } from './schema.ts';
import { type NamedRecords, searchObjects } from './usecases.ts';

/** The search for these records, and for what dispatchers own. */
export const searchOf = (kinds: readonly NamedRecords[]) => [
  endpoint(
    {
      id: 'search.find',
      route: `GET ${base}/search`,
      access: 'signed-in',
      summary: 'Find objects by their names',
      description:
        'Searches the names of records, pools, workplaces and workplace sessions in one request. The response contains only objects that the caller may read.',
      query: SearchQuery,
      mayLag: true,
      returns: [200, FoundObjects(kinds.map(({ kind }) => kind.type))],
      errors: ['forbidden'],
    },
    (ctx, { query }) => searchObjects(ctx, kinds, query),
  ),
];
