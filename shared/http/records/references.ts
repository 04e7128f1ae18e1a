import type { ReadableSites } from '../../../db/repositories/records/bulk.ts';
import { readPermissionOf } from '../../access/permissions.ts';
import { isSignedIn, type Principal } from '../../access/principal.ts';
import { scopeOf } from '../../access/rights.ts';

/** Within which sites the principal may read objects that an error names, by their type. */
export const readingOf =
  (principal: Principal): ReadableSites =>
  (type) => {
    const permission = readPermissionOf(type);
    return isSignedIn(principal) && permission ? scopeOf(principal, permission) : undefined;
  };
