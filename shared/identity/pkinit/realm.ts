import type { Db } from '../../../db/client.ts';
import { findLiveDomain } from '../../../db/repositories/identity/login/pkinit.ts';
import { conflict, notFound } from '../../kernel/errors.ts';
import { parseKdc } from '../../remotes/directory/address.ts';
import type { KdcTrust } from '../../remotes/kerberos/kdc-signature.ts';
import { Kerberos } from '../domains/directory/settings/shapes.ts';

type Domain = { type: string; params: Record<string, unknown> };

/** The Kerberos realm behind a domain, and how its KDCs are asked and known. */
export type Realm = {
  name: string;
  isActiveDirectory: boolean;
  kdcs: readonly string[];
  /** For all KDCs together. */
  deadlineMs: number;
  trust: KdcTrust;
  /** Hours for which a card is admitted again while the directory cannot be reached; 0: never. */
  cardWithoutDirectoryH: number;
};

/** @throws AppError `not_found` for a domain that is not there or disabled, and as `realmOf` */
export async function findRealm(db: Db, domainId: string): Promise<Realm> {
  const domain = await findLiveDomain(db, domainId);
  if (!domain) throw notFound();
  return realmOf(domain);
}

/** @throws AppError `invalid_state` for a domain without Kerberos parameters */
export function realmOf({ type, params }: Domain): Realm {
  const { data } = Kerberos.safeParse(params.kerberos);
  if (!data) throw conflict('no_kerberos', 'The domain has no Kerberos parameters');
  const { realm, kdc, anchors, kdc_hostnames, eku, card_without_directory_h } = data;
  const addresses = kdc.flatMap((text) => parseKdc(text)?.hostname ?? []);
  const seconds = typeof params.timeout_s === 'number' ? params.timeout_s : defaultTimeoutS;
  return {
    name: realm,
    isActiveDirectory: type === 'active_directory',
    kdcs: kdc,
    deadlineMs: seconds * 1000,
    trust: { realm, anchors, eku, hosts: kdc_hostnames.length > 0 ? kdc_hostnames : addresses },
    cardWithoutDirectoryH: card_without_directory_h,
  };
}

const defaultTimeoutS = 5;
