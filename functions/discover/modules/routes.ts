import { z } from 'zod';
import { listReachableSites } from '../../../db/repositories/own-account.ts';
import { accountOf } from '../../../shared/access/principal.ts';
import { scopeOf } from '../../../shared/access/rights.ts';
import { version } from '../../../shared/kernel/version.ts';
import { modules } from '../../../shared/modules.ts';
import { type DiscoverCtx, endpoint } from '../deps.ts';

const Discovery = z.strictObject({
  portal_type: z.enum(['admin', 'user', 'universal']),
  version: z.string(),
  modules: z.array(
    z.strictObject({
      name: z.string(),
      versions: z.array(z.string()),
      path: z.string(),
      purpose: z.string(),
    }),
  ),
  sites: z.array(z.strictObject({ uri: z.string(), versions: z.array(z.string()) })),
});

export const moduleOperations = [
  endpoint(
    {
      id: 'module.list',
      route: 'GET /api/discover/',
      access: 'signed-in',
      forPeers: true,
      summary: 'List of API modules offered by the aggregator',
      description: 'By portal type; `sites` are those that the caller may use or administer.',
      returns: [200, Discovery],
    },
    discover,
  ),
];

async function discover({ deps, principal }: DiscoverCtx): Promise<z.input<typeof Discovery>> {
  const sites = await listReachableSites(
    deps.db,
    accountOf(principal),
    scopeOf(principal, 'sites.read') ?? [],
  );
  const versions = [...new Set(modules.flatMap((module) => module.versions))];
  return {
    portal_type: deps.portalType,
    version,
    modules: modules
      .filter(({ portals }) => portals.includes(deps.portalType))
      .map(({ name, versions: served, paths: [path], purpose }) => ({
        name,
        versions: [...served],
        path: `${path}/`,
        purpose,
      })),
    sites: sites.map(({ uri }) => ({ uri, versions })),
  };
}
