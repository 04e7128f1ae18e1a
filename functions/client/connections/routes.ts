import { SiteUriParams } from '../../../shared/sites/site-uri.ts';
import { base, endpoint } from '../deps.ts';
import { ServiceIdParam } from '../service-ids.ts';
import { fileTypes, negotiatedConnection } from './files.ts';
import { decideReadiness } from './readiness.ts';
import { renewLink } from './reconnect.ts';
import {
  Connection,
  ConnectionQuery,
  Readiness,
  ReadinessQuery,
  ReconnectBody,
  Reconnection,
} from './schema.ts';

const params = SiteUriParams.extend({ id: ServiceIdParam });

/** Includes the errors that a node returns about the service or the session. */
const errors = [
  'service_in_preparation',
  'gateway_unavailable',
  'not_known_here',
  'invalid_state',
  'upstream_failed',
  'upstream_refused',
  'upstream_tls',
  'upstream_unavailable',
  'upstream_timeout',
] as const;

export const connectionOperations = [
  endpoint(
    {
      id: 'connection.get',
      route: `GET ${base}/connectionInfo/{id}`,
      access: 'signed-in',
      summary: 'Get the connection parameters of a service',
      description:
        'A rule selects one of its farms, and the next one if that farm cannot answer. The dispatcher node checks the rights of the user again. The header `Accept` can request a file for the client program of the protocol instead of JSON. An `.rdp` file contains no password; a `.vv` file contains a one-time password. The header `Content-Disposition` names the file after the service.',
      params,
      query: ConnectionQuery,
      returns: [200, Connection],
      alsoReturns: Object.values(fileTypes),
      errors: [...errors, 'not_acceptable'],
      begins: true,
    },
    (ctx, { params: { site_uri, id }, query }) => negotiatedConnection(ctx, site_uri, id, query),
  ),
  endpoint(
    {
      id: 'connection.check',
      route: `GET ${base}/preconnectionInfo/{id}`,
      access: 'signed-in',
      summary: 'Check whether a service is ready for a connection',
      params,
      query: ReadinessQuery,
      returns: [200, Readiness],
      errors: [...errors, 'forbidden'],
    },
    (ctx, { params: { site_uri, id }, query }) => decideReadiness(ctx, site_uri, id, query),
  ),
  endpoint(
    {
      id: 'connection.reconnect',
      route: `POST ${base}/reconnect/`,
      access: 'signed-in',
      summary: 'Refresh the reconnect link of a workplace session',
      params: SiteUriParams,
      body: { required: ReconnectBody },
      returns: [200, Reconnection],
      errors,
    },
    (ctx, { params: { site_uri }, body }) => renewLink(ctx, site_uri, body.session_uuid),
  ),
];
