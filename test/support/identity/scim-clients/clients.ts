import { authentik } from './authentik.ts';
import { entra } from './entra.ts';
import { jumpCloud } from './jumpcloud.ts';
import { keycloak } from './keycloak.ts';
import type { Life } from './life.ts';
import { okta } from './okta.ts';
import { oneLogin } from './onelogin.ts';
import { rfc } from './rfc.ts';
import { rippling } from './rippling.ts';
import { sailPoint } from './sailpoint.ts';

/** Clients of SCIM, with the requests that they send. */
export const clients: readonly Life[] = [
  ...[rfc, entra, okta, oneLogin, jumpCloud, keycloak, authentik, sailPoint, rippling],
];
