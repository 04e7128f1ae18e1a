import { createModule } from '../../shared/http/app.ts';
import { resultRefuser } from '../../shared/http/result-form.ts';
import type { SsaDeps } from './deps.ts';
import { messageOperations } from './messages/routes.ts';
import { sessionOperations } from './sessions/routes.ts';

export const createSsa = (deps: SsaDeps) =>
  createModule('ssa', deps, [...sessionOperations, ...messageOperations], resultRefuser(deps));
