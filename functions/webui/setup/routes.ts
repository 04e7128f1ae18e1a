import { z } from 'zod';
import { base, endpoint } from '../deps.ts';
import { type SetupKinds, setUpSite } from './usecases.ts';

/** What the setup takes from the records that it creates. */
type SetupParts = SetupKinds & {
  site: { write: z.ZodObject; view: z.ZodObject };
  farm: { write: z.ZodObject; view: z.ZodObject };
  dispatcher: { write: z.ZodObject; view: z.ZodObject };
};

/** The creation of a site with its first farm and node. */
export const setupOperations = (parts: SetupParts) => [
  endpoint(
    {
      id: 'site.setUp',
      route: `POST ${base}/sites/setup`,
      access: 'sites.create',
      allSites: true,
      summary: 'Create a site with a farm and a dispatcher node',
      description:
        'Creates all three objects or none. Also requires `farms.create` and `dispatchers.create` for all sites. The node is not called; test it before with `POST /api/webui/aggregator/dispatchers/test`.',
      body: {
        required: z.strictObject({
          site: z.strictObject(parts.site.write.shape).describe('The new site.'),
          farm: z.strictObject(without(parts.farm.write, 'site_id')).describe('The first farm of the site.'),
          dispatcher: z
            .strictObject(without(parts.dispatcher.write, 'farm_id'))
            .describe('The first node of the farm.'),
        }),
      },
      returns: [
        201,
        z.strictObject({
          site: parts.site.view.describe('The created site.'),
          farm: parts.farm.view.describe('The created farm.'),
          dispatcher: parts.dispatcher.view.describe('The created node.'),
        }),
      ],
      errors: ['already_exists'],
    },
    (ctx, { body }) => setUpSite(ctx, parts, body),
  ),
];

const without = ({ shape }: z.ZodObject, name: string): z.ZodRawShape =>
  Object.fromEntries(Object.entries(shape).filter(([member]) => member !== name));
