import { serveNode } from '../../../shared/runtime/node/server.ts';
import type { Pool } from '../../simulator/data/rows.ts';
import { pool } from '../factories.ts';
import type { Json } from '../portal.ts';
import { type RunningGateway, startGateway } from './gateway.ts';
import { startTicketStand, type TicketStand, wsproxy } from './tickets.ts';

/** A portal on a real port, whose one service leads to a server of this machine. */
export type GatewayStand = {
  stand: TicketStand;
  /** The URL at which gateways use tickets. */
  ticketUrl: string;
  /** A gateway server of the site, registered with its address. */
  open(isCumulative?: boolean): Promise<{ registered: Json; running: RunningGateway }>;
  close(): Promise<void>;
};

export async function startGatewayStand(
  endpoint: Pool['endpoint'],
  portal?: Parameters<typeof startTicketStand>[1],
): Promise<GatewayStand> {
  const stand = await startTicketStand({ pools: [pool('Office', { endpoint })] }, portal);
  const serving = await serveNode({
    fetch: (request, invocation) => stand.world.portal.portal.fetch(request, invocation),
    host: '127.0.0.1',
    port: 0,
    trustProxy: 0,
    log: { error: () => undefined },
  });
  const ticketUrl = `http://127.0.0.1:${serving.port}${wsproxy}/ticket`;
  return {
    stand,
    ticketUrl,
    open: async (isCumulative = false) => {
      const byte_counters = isCumulative ? 'process' : 'tunnel';
      const { token, id } = await stand.gateway({ host: '127.0.0.1', byte_counters });
      const running = await startGateway({ ticketUrl, token, isCumulative });
      const path = `/api/webui/aggregator/gateways/${id}`;
      const { body } = await stand.world.admin(`PATCH ${path}`, { port: running.port });
      return { registered: { ...body, token }, running };
    },
    close: async () => {
      await serving.close(1_000);
      await stand.close();
    },
  };
}
