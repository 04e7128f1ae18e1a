import type { Reading } from '../../db/repositories/bulk.ts';
import { type Actor, scopeOf } from '../access/actor.ts';
import { isPermission } from '../access/permissions.ts';

/** What the actor may read of objects that an error names: by type, as `site` of `sites.read`. */
export const readingOf =
  (actor: Actor): Reading =>
  (type) => {
    const permission = `${type}s.read`;
    return actor.kind === 'user' && isPermission(permission) ? scopeOf(actor, permission) : undefined;
  };
