import { connectionTests } from './connection-tests.ts';
import { domainTests } from './domain-tests.ts';
import { fleet } from './fleet.ts';
import { identity } from './identity.ts';
import { objects } from './objects.ts';
import { pages } from './pages.ts';
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
  ...objects,
  ...pages,
};
