import { domainTests } from './domain-tests.ts';
import { fleet } from './fleet.ts';
import { identity } from './identity.ts';
import { objects } from './objects.ts';
import { requests } from './requests.ts';
import { titles } from './titles.ts';

/** Russian texts of refusals and reports by the English ones. */
export const details = { ...titles, ...requests, ...identity, ...fleet, ...domainTests, ...objects };
