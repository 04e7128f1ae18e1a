import type { Reading } from '../../db/repositories/bulk.ts';
import { type Actor, scopeOf } from '../access/actor.ts';
import { readPermissionOf } from '../access/permissions.ts';

/** Within which sites the actor may read objects that an error names, by their type. */
export const readingOf =
  (actor: Actor): Reading =>
  (type) => {
    const permission = readPermissionOf(type);
    return actor.kind === 'user' && permission ? scopeOf(actor, permission) : undefined;
  };
