import { createModule } from '../../shared/http/serve/app.ts';
import { refuseByPath } from '../../shared/http/serve/scim-form.ts';
import { clientKeyOperations } from './client-keys/routes.ts';
import type { FederationDeps } from './deps.ts';
import { ownPasskeyOperations } from './passkeys/routes.ts';
import { passkeySignInOperations } from './passkeys/sign-in-routes.ts';
import { programOperations } from './programs/routes.ts';
import { scimOperations } from './scim/routes.ts';
import { signInOperations } from './sign-in/routes.ts';
import { signOutOperations } from './sign-out/routes.ts';

const operations = [
  ...clientKeyOperations,
  ...programOperations,
  ...signInOperations,
  ...signOutOperations,
  ...ownPasskeyOperations,
  ...passkeySignInOperations,
  ...scimOperations,
];

export const createFederation = (deps: FederationDeps) =>
  createModule('federation', deps, operations, refuseByPath);
