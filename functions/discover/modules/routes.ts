import { z } from 'zod';
import { listReachableSites } from '../../../db/repositories/identity/own-account.ts';
import { accountOf } from '../../../shared/context/principal.ts';
import { scopeOf } from '../../../shared/context/rights.ts';
import { version } from '../../../shared/kernel/version.ts';
import { modules } from '../../../shared/modules.ts';
import { type DiscoverCtx, endpoint } from '../deps.ts';

const Discovery = z.strictObject({
  portal_type: z
    .enum(['admin', 'user', 'universal'])
    .describe('`admin`: administrator portal; `user`: user portal; `universal`: both.'),
  version: z.string().describe('Version of the portal.'),
  modules: z
    .array(
      z.strictObject({
        name: z.string().describe('Name of the module, such as `webui`.'),
        versions: z
          .array(z.string())
          .describe('Version segments in the paths of the module. Empty if its paths have none.'),
        path: z.string().describe('Path prefix of the module.'),
        purpose: z.string().describe('Purpose of the module.'),
      }),
    )
    .describe('Modules that this type of portal offers.'),
  sites: z
    .array(
      z.strictObject({
        uri: z.string().describe('Name of the site in URLs.'),
        versions: z.array(z.string()).describe('Versions of the API that the site serves.'),
      }),
    )
    .describe('Sites that the caller may use or administer.'),
});

export const moduleOperations = [
  endpoint(
    {
      id: 'module.list',
      route: 'GET /api/discover/',
      access: 'signed-in',
      forPeers: true,
      summary: 'List the API modules of the portal',
      description:
        'The modules depend on the type of the portal. `sites` lists the sites that the caller may use or administer.',
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
