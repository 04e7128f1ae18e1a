import { portals } from '../../../db/repositories/monitoring/portals.ts';
import { crud } from '../../../shared/http/records/crud.ts';
import { findRecord } from '../../../shared/http/records/writes.ts';
import { PortalMetrics } from '../../../shared/portals/report.ts';
import { ListSearch } from '../../../shared/shapes/list.ts';
import { base, endpoint, type WebuiDeps } from '../deps.ts';
import { exportable } from '../export-operations.ts';
import { Portal, PortalTags, PortalWrite, portalFilters } from './schema.ts';
import { deletePortal, tagsOfPortal } from './usecases.ts';

/** Heartbeats create portals; only their tags can be written. */
const portalCrud = crud({
  type: 'portal',
  path: `${base}/appnodes/portals`,
  records: portals,
  view: Portal,
  write: PortalWrite,
  idParam: 'uuid',
  filters: portalFilters,
  sorts: ['name', 'last_seen_at', 'created_at'],
  verbs: ['list'],
});

const { operations, filters, declared, target, kind } = portalCrud;
const { params } = declared.get;

export const portalOperations = [
  ...operations,
  ...exportable<WebuiDeps>({
    subject: 'portals',
    type: 'portal',
    path: `${base}/appnodes/portals`,
    access: 'portals.export',
    filters: { search: ListSearch, ...filters },
    formats: ['csv', 'ndjson', 'json'],
  }),
  endpoint({ ...declared.delete, errors: ['invalid_state'] }, (ctx, input) =>
    deletePortal(ctx, kind, target(input)),
  ),
  endpoint(
    {
      id: 'portal.readMetrics',
      route: `PATCH ${base}/appnodes/portals/{uuid}/metrics`,
      access: 'portals.read',
      summary: 'Get the metrics of a portal',
      description: 'The metrics are those of the last heartbeat.',
      params,
      readsOnly: true,
      returns: [200, PortalMetrics],
    },
    async (ctx, input) => (await findRecord(ctx, kind, target(input).id)).metrics,
  ),
  endpoint(
    {
      id: 'portal.tags',
      route: `PATCH ${base}/appnodes/portals/{uuid}/tags`,
      access: 'portals.read',
      summary: 'Get or replace the tags of a portal',
      description:
        'Without a body, the tags are returned. With a body, they are replaced; this requires the permission `portals.update` for all sites.',
      params,
      body: { optional: PortalTags },
      conditional: true,
      readsOnly: 'without body',
      returns: [200, PortalTags],
      errors: ['forbidden'],
    },
    (ctx, input) => tagsOfPortal(ctx, kind, target(input), input.body?.tags),
  ),
];
