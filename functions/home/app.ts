import { createModule } from '../../shared/http/serve/app.ts';
import type { HomeDeps } from './deps.ts';
import { installedOperations } from './installed/routes.ts';
import { pageOperations } from './page/routes.ts';

export const createHome = (deps: HomeDeps) =>
  createModule('home', deps, [...pageOperations, ...installedOperations]);
