import { listVisibleDomains } from '../../db/repositories/identity/domain-list.ts';
import type { AuthDeps } from './deps.ts';

/** The domains of the sign-in form of this portal type. */
export const shownDomains = ({ portalType, db }: Pick<AuthDeps, 'portalType' | 'db'>) =>
  listVisibleDomains(db, served[portalType]);

const served = {
  admin: ['all', 'staff'],
  user: ['all', 'users'],
  universal: ['all', 'users', 'staff'],
} as const;
