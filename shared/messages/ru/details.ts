import { connectionTests } from './connection-tests.ts';
import { domainTests } from './domain-tests.ts';
import { programs } from './federation/programs.ts';
import { moves, providers, signInTests } from './federation/providers.ts';
import { provisioning } from './federation/provisioning.ts';
import { tokens } from './federation/tokens.ts';
import { fleet } from './fleet.ts';
import { identity } from './identity.ts';
import { objects } from './objects.ts';
import { pages } from './pages.ts';
import { providerTests } from './provider-tests.ts';
import { requests } from './requests.ts';
import { schemas } from './schemas.ts';
import { titles } from './titles.ts';

/** Russian texts of refusals and reports by the English ones. */
export const details = {
  ...titles,
  ...requests,
  ...schemas,
  ...identity,
  ...fleet,
  ...domainTests,
  ...connectionTests,
  ...providerTests,
  ...objects,
  ...pages,
  ...programs,
  ...providers,
  ...signInTests,
  ...moves,
  ...provisioning,
  ...tokens,
};
