import { may } from '../facts.ts';
import { addressOf } from '../router/place.ts';

export const setupSegment = 'setup';

export const setupPermissions = ['sites.create', 'farms.create', 'dispatchers.create'];

export const maySetUp = (): boolean => may(setupPermissions);

/** Where a new site is set up. */
export const setupAddress = addressOf([setupSegment]);
