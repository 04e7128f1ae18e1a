/** Rows that nothing serves yet, by what they are about. The list only ever gets shorter: a row that is served must leave it. */
export const notBuilt: Readonly<Record<string, readonly string[]>> = {
  agent: [
    'POST /api/agent/v7.0/register',
    'POST /api/agent/v7.0/test',
    'POST /api/agent/v7.0/initialize',
    'POST /api/agent/v7.0/ready',
    'POST /api/agent/v7.0/ipchange',
    'POST /api/agent/v7.0/login',
    'POST /api/agent/v7.0/logout',
    'POST /api/agent/v7.0/log',
    'POST /api/agent/v7.0/version',
    'POST /api/agent/v7.0/ticket',
    'POST /api/agent/v7.0/unmanaged',
    'GET /api/agent/v7.0/notify',
  ],
  aggregator: ['POST /api/aggregator/v7.0/portals/heartbeat', 'GET /api/aggregator/v7.0/portals/self'],
  ssa: [
    'POST /api/ssa/v7.0/register',
    'POST /api/ssa/v7.0/ping',
    'POST /api/ssa/v7.0/login',
    'POST /api/ssa/v7.0/logout',
    'POST /api/ssa/v7.0/events',
    'GET /api/ssa/v7.0/messages',
  ],
};
