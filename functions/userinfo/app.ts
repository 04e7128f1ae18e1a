import { createModule } from '../../shared/http/serve/app.ts';
import { accountOperations } from './account/routes.ts';
import type { UserinfoDeps } from './deps.ts';
import { imageOperations } from './images/routes.ts';
import { ownTokenOperations } from './service-tokens/routes.ts';
import { sessionOperations } from './sessions/routes.ts';
import { themeOperations } from './themes/routes.ts';
import { twoFactorOperations } from './two-factor/routes.ts';
import { viewOperations } from './views/routes.ts';

export const createUserinfo = (deps: UserinfoDeps) =>
  createModule('userinfo', deps, [
    ...accountOperations,
    ...sessionOperations,
    ...ownTokenOperations,
    ...twoFactorOperations,
    ...themeOperations,
    ...imageOperations,
    ...viewOperations,
  ]);
