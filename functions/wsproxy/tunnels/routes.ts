import { base, endpoint } from '../deps.ts';
import { BeginParams, BeginQuery, Ended, EndParams, EndQuery, Tunnel } from './schema.ts';
import { withUniformRefusal } from './uniform-refusal.ts';
import { beginTunnel, endTunnel } from './usecases.ts';

/** Gateway servers send reads that have an effect, with tokens in their paths. */
const asGatewaysSend = {
  access: 'public',
  begins: true,
  rateLimit: 'failures',
} as const;

export const tunnelOperations = [
  withUniformRefusal(
    endpoint(
      {
        ...asGatewaysSend,
        id: 'tunnel.begin',
        route: `GET ${base}/ticket/{ticket}/{client_ip}/{gateway_token}`,
        summary: 'Open a tunnel with a ticket',
        description:
          'The first tunnel of a ticket must be opened within 60 seconds, at the gateway that it was issued for and from the address of the client that requested it. If that address is not known, the first use sets it. A ticket opens up to 4 tunnels within 120 seconds of the first for RDP, whose clients may reconnect, or 16 within 30 seconds of the first for SPICE, which uses one connection per channel. Each tunnel has its own `notify`. Every invalid request is rejected with 403.',
        params: BeginParams,
        query: BeginQuery,
        returns: [200, Tunnel],
      },
      (ctx, { params }) => beginTunnel(ctx, params),
    ),
  ),
  withUniformRefusal(
    endpoint(
      {
        ...asGatewaysSend,
        id: 'tunnel.end',
        route: `GET ${base}/ticket/{notify}/stop/{gateway_token}`,
        summary: 'Close a tunnel and report its traffic',
        description:
          'A tunnel can be closed once. Other tunnels of the same ticket stay open. Every invalid request is rejected with 403.',
        params: EndParams,
        query: EndQuery,
        returns: [200, Ended],
      },
      (ctx, { params, query }) => endTunnel(ctx, params, query),
    ),
  ),
];
