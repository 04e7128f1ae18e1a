import { base, endpoint } from '../deps.ts';
import { withOneRefusal } from './one-refusal.ts';
import { BeginParams, BeginQuery, Ended, EndParams, EndQuery, Tunnel } from './schema.ts';
import { beginTunnel, endTunnel } from './usecases.ts';

/** Gateway servers send reads that have an effect, with tokens in their paths. */
const asGatewaysSend = {
  access: 'public',
  begins: true,
  rateLimit: 'failures',
} as const;

export const tunnelOperations = [
  withOneRefusal(
    endpoint(
      {
        ...asGatewaysSend,
        id: 'tunnel.begin',
        route: `GET ${base}/ticket/{ticket}/{client_ip}/{gateway_token}`,
        summary: 'Open a tunnel of a ticket: where it leads',
        description:
          'Within 60 seconds, from the address that the ticket was asked from (where nobody knew it, the first use binds it), at the gateway that it was made for. A ticket of RDP opens up to 4 tunnels, since its programs may have to begin anew, one of SPICE, which has a connection for each channel, up to 16; each with a `notify` of its own, within 30 seconds of the first. Everything else is 403.',
        params: BeginParams,
        query: BeginQuery,
        returns: [200, Tunnel],
      },
      (ctx, { params }) => beginTunnel(ctx, params),
    ),
  ),
  withOneRefusal(
    endpoint(
      {
        ...asGatewaysSend,
        id: 'tunnel.end',
        route: `GET ${base}/ticket/{notify}/stop/{gateway_token}`,
        summary: 'End a tunnel, and tell what went through',
        description: 'Once for each tunnel; the others of its ticket stay. Everything else is 403.',
        params: EndParams,
        query: EndQuery,
        returns: [200, Ended],
      },
      (ctx, { params, query }) => endTunnel(ctx, params, query),
    ),
  ),
];
