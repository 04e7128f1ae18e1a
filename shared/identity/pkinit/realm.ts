import type { Db } from '../../../db/client.ts';
import { findLiveDomain } from '../../../db/repositories/identity/login/pkinit.ts';
import { conflict, notFound } from '../../kernel/errors.ts';
import type { Realm, Settings } from '../domains/domain-type.ts';
import { domainTypeOf } from '../domains/registry.ts';

/** @throws AppError `not_found` for a domain that does not exist or is disabled, and as `realmOf` */
export async function findRealm(db: Db, domainId: string): Promise<Realm> {
  const domain = await findLiveDomain(db, domainId);
  if (!domain) throw notFound();
  return realmOf(domain);
}

/** @throws AppError `invalid_state` for a domain without Kerberos parameters */
export function realmOf({ type, params }: { type: string; params: Settings }): Realm {
  const realm = domainTypeOf(type).cards?.realmOf(params);
  if (!realm) throw conflict('no_kerberos', 'The domain has no Kerberos parameters');
  return realm;
}
