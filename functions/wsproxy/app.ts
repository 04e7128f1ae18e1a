import { createModule } from '../../shared/http/serve/app.ts';
import type { WsproxyDeps } from './deps.ts';
import { heartbeatOperations } from './heartbeats/routes.ts';
import { tunnelOperations } from './tunnels/routes.ts';

export const createWsproxy = (deps: WsproxyDeps) =>
  createModule('wsproxy', deps, [...tunnelOperations, ...heartbeatOperations]);
