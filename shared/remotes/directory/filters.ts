import { Buffer } from 'node:buffer';
import {
  AndFilter,
  EqualityFilter,
  ExtensibleFilter,
  FilterParser,
  type Filter as LdapFilter,
  OrFilter,
  PresenceFilter,
  SubstringFilter,
} from 'ldapts';
import { AppError } from '../../kernel/errors.ts';

/** A search filter. Values are octets that are never parsed as a filter, so no escaping is needed. */
export type Filter =
  | { all: readonly Filter[] }
  | { any: readonly Filter[] }
  | { equals: readonly [attribute: string, value: string] }
  /** Equality with octets in hexadecimal. */
  | { octets: readonly [attribute: string, hex: string] }
  | { contains: readonly [attribute: string, part: string] }
  /** Transitive membership (LDAP_MATCHING_RULE_IN_CHAIN of Active Directory). */
  | { inChain: readonly [attribute: string, dn: string] }
  | { present: string }
  /** RFC 4515 text from the settings. */
  | { text: string };

const inChainRule = '1.2.840.113556.1.4.1941';

/** @throws AppError `upstream_failed` for a text that is not a valid filter */
export function toLdap(filter: Filter): LdapFilter {
  if ('all' in filter) return new AndFilter({ filters: filter.all.map(toLdap) });
  if ('any' in filter) return new OrFilter({ filters: filter.any.map(toLdap) });
  if ('equals' in filter) return new EqualityFilter({ attribute: filter.equals[0], value: filter.equals[1] });
  if ('octets' in filter)
    return new EqualityFilter({ attribute: filter.octets[0], value: Buffer.from(filter.octets[1], 'hex') });
  if ('contains' in filter)
    return new SubstringFilter({ attribute: filter.contains[0], any: [filter.contains[1]] });
  if ('inChain' in filter)
    return new ExtensibleFilter({
      rule: inChainRule,
      matchType: filter.inChain[0],
      value: filter.inChain[1],
    });
  if ('present' in filter) return new PresenceFilter({ attribute: filter.present });
  return parse(filter.text);
}

function parse(text: string): LdapFilter {
  try {
    return FilterParser.parseString(text);
  } catch (cause) {
    const detail = 'The user filter is not a valid filter (RFC 4515)';
    throw new AppError('upstream_failed', detail, { reason: 'bad_filter' }, { cause });
  }
}
