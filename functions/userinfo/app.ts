import { createModule } from '../../shared/http/app.ts';
import { accountOperations } from './account/routes.ts';
import type { UserinfoDeps } from './deps.ts';
import { sessionOperations } from './sessions/routes.ts';

export const createUserinfo = (deps: UserinfoDeps) =>
  createModule('userinfo', deps, [...accountOperations, ...sessionOperations]);
