import { gateways } from '../../../db/repositories/gateways/gateways.ts';
import { crud } from '../../../shared/http/records/crud.ts';
import { base } from '../deps.ts';
import { Gateway, GatewayWrite, gatewayFilters } from './schema.ts';

/** Create and update can return tokens; the other operations are generic. */
export const gatewayCrud = crud({
  type: 'gateway',
  path: `${base}/gateways`,
  records: gateways,
  view: Gateway,
  write: GatewayWrite,
  filters: gatewayFilters,
  sorts: ['name', 'priority', 'created_at', 'updated_at'],
  sited: true,
  verbs: ['list', 'get', 'replace', 'delete', 'bulkDestroy'],
  bulkDestroyMethod: 'PATCH',
});
