import { parseKdc } from '../../../remotes/directory/address.ts';
import type { Realm, Settings } from '../domain-type.ts';
import { Kerberos } from './settings/shapes.ts';
import type { DirectoryVariant } from './variant.ts';

/** The realm in the stored settings of a directory; undefined without Kerberos settings. */
export function realmOf({ resolvesUpns }: DirectoryVariant, params: Settings): Realm | undefined {
  const { data } = Kerberos.safeParse(params.kerberos);
  if (!data) return undefined;
  const { realm, kdc, anchors, kdc_hostnames, eku, card_without_directory_h } = data;
  const addresses = kdc.flatMap((text) => parseKdc(text)?.host ?? []);
  const seconds = typeof params.timeout_s === 'number' ? params.timeout_s : defaultTimeoutS;
  return {
    name: realm,
    resolvesUpns,
    kdcs: kdc,
    deadlineMs: seconds * 1000,
    trust: { realm, anchors, eku, hosts: kdc_hostnames.length > 0 ? kdc_hostnames : addresses },
    cardWithoutDirectoryH: card_without_directory_h,
  };
}

const defaultTimeoutS = 5;
