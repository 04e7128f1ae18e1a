import { createModule } from '../../shared/http/serve/app.ts';
import { resultRefuser } from '../../shared/http/serve/result-form.ts';
import type { SsaDeps } from './deps.ts';
import { messageOperations } from './messages/routes.ts';
import { sessionOperations } from './sessions/routes.ts';

export const createSsa = (deps: SsaDeps) =>
  createModule('ssa', deps, [...sessionOperations, ...messageOperations], resultRefuser(deps));
