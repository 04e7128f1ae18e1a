import { base, endpoint } from '../deps.ts';
import { BeginParams, BeginQuery, Ended, EndParams, EndQuery, Tunnel } from './schema.ts';
import { beginTunnel, endTunnel } from './usecases.ts';

/** What gateway servers send as it is: reads with an effect, tokens in their paths, and one refusal for everything. */
const asGatewaysSend = { access: 'public', begins: true, refusesBy: 'forbidden' } as const;

export const tunnelOperations = [
  endpoint(
    {
      ...asGatewaysSend,
      id: 'tunnel.begin',
      route: `GET ${base}/ticket/{ticket}/{client_ip}/{gateway_token}`,
      summary: 'Use a ticket: where its tunnel leads',
      description:
        'Once, within 60 seconds, from the address that the ticket was asked from, at the gateway that it was made for. Everything else is 403.',
      params: BeginParams,
      query: BeginQuery,
      returns: [200, Tunnel],
    },
    (ctx, { params }) => beginTunnel(ctx, params),
  ),
  endpoint(
    {
      ...asGatewaysSend,
      id: 'tunnel.end',
      route: `GET ${base}/ticket/{notify}/stop/{gateway_token}`,
      summary: 'End a tunnel, and tell what went through',
      description: 'Once. Everything else is 403.',
      params: EndParams,
      query: EndQuery,
      returns: [200, Ended],
    },
    (ctx, { params, query }) => endTunnel(ctx, params, query),
  ),
];
