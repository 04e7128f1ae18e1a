import { createModule } from '../../shared/http/serve/app.ts';
import { connectionOperations } from './connections/routes.ts';
import type { ClientDeps } from './deps.ts';
import { serviceOperations } from './services/routes.ts';
import { ownSessionOperations } from './sessions/routes.ts';

export const createClient = (deps: ClientDeps) =>
  createModule('client', deps, [...serviceOperations, ...connectionOperations, ...ownSessionOperations]);
