import { createModule } from '../../shared/http/serve/app.ts';
import type { AuthDeps } from './deps.ts';
import { dispatcherOperations } from './dispatchers/routes.ts';
import { domainOperations } from './domains/routes.ts';
import { browserOperations } from './login/browser-routes.ts';
import { loginOperations } from './login/routes.ts';
import { pkinitOperations } from './pkinit/routes.ts';
import { settingsOperations } from './settings/routes.ts';

export const createAuth = (deps: AuthDeps) =>
  createModule('auth', deps, [
    ...domainOperations,
    ...loginOperations,
    ...browserOperations,
    ...pkinitOperations,
    ...settingsOperations,
    ...dispatcherOperations,
  ]);
