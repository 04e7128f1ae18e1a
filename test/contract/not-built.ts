/** Rows that nothing serves yet, by what they are about. The list only ever gets shorter: a row that is served must leave it. */
export const notBuilt: Readonly<Record<string, readonly string[]>> = {
  aggregator: ['POST /api/aggregator/v7.0/portals/heartbeat', 'GET /api/aggregator/v7.0/portals/self'],
  wsproxy: [
    'GET /api/wsproxy/v7.0/ticket/{ticket}/{client_ip}/{gateway_token}',
    'GET /api/wsproxy/v7.0/ticket/{notify}/stop/{gateway_token}',
    'POST /api/wsproxy/v7.0/heartbeat',
  ],
};
