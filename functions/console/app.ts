import { createModule } from '../../shared/http/serve/app.ts';
import type { ConsoleDeps } from './deps.ts';
import { pageOperations } from './page/routes.ts';

export const createConsole = (deps: ConsoleDeps) => createModule('console', deps, pageOperations);
