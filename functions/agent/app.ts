import { createModule } from '../../shared/http/serve/app.ts';
import { resultRefuser } from '../../shared/http/serve/result-form.ts';
import type { AgentDeps } from './deps.ts';
import { registrationOperations } from './registrations/routes.ts';
import { sessionOperations } from './sessions/routes.ts';
import { workplaceOperations } from './workplaces/routes.ts';

export const createAgent = (deps: AgentDeps) =>
  createModule(
    'agent',
    deps,
    [...registrationOperations, ...workplaceOperations, ...sessionOperations],
    resultRefuser(deps),
  );
