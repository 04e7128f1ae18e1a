import { closest, distance } from 'fastest-levenshtein';
import type { Env } from '../../runtime/config/config.ts';
import { names } from '../../runtime/config/variables.ts';

/** Variables with these prefixes are meant for this product. */
const ourPrefixes = ['AGGREGATOR_', 'HEALTH_CHECK_', 'METRICS_ACCESS_', 'RDP_SIGNING_', 'MAX_CONNECTIONS_'];
/** Variables added by Kubernetes and Docker links for a service with the name of one of our variables. */
const injected = /_SERVICE_(?:HOST|PORT)|_PORT(?:_\d+_(?:TCP|UDP)|$)/;

const known: ReadonlySet<string> = new Set(names);

/** @returns the setting that the name is probably a misspelling of */
export function nearestName(name: string): string | undefined {
  // Variables of other programs often differ in the first letter, such as SSL_CERT_FILE; misspelt ones rarely do.
  const similar = names.filter((one) => one[0] === name[0]);
  const nearest = similar.length > 0 ? closest(name, similar) : undefined;
  if (nearest !== undefined && distance(name, nearest) <= (name.length < 8 ? 1 : 2)) return nearest;
  return names.find(
    (one) => one.includes('_') && (`${one}_`.startsWith(`${name}_`) || name.startsWith(`${one}_`)),
  );
}

/**
 * Warnings about environment variables that are not settings but resemble one. Only warnings, because they may belong
 * to other programs.
 */
export function misspeltNames(environment: Env): string[] {
  const others = Object.keys(environment).filter((name) => name.length > 3 && !known.has(name));
  return others.flatMap((name) => {
    const nearest = name.includes('_') || name.length > 5 ? nearestName(name) : undefined;
    if (nearest !== undefined) return [`${name}: not a setting; did you mean ${nearest}?`];
    const isOurs = ourPrefixes.some((prefix) => name.startsWith(prefix)) && !injected.test(name);
    return isOurs ? [`${name}: not a setting`] : [];
  });
}
