import { closest, distance } from 'fastest-levenshtein';
import type { Env } from '../../runtime/config/config.ts';
import { names } from '../../runtime/config/variables.ts';

/** Names that begin so are meant for this product. */
const ourPrefixes = ['AGGREGATOR_', 'HEALTH_CHECK_', 'METRICS_ACCESS_', 'RDP_SIGNING_', 'MAX_CONNECTIONS_'];
/** What Kubernetes and Docker links add for a service that is named like a variable of ours. */
const injected = /_SERVICE_(?:HOST|PORT)|_PORT(?:_\d+_(?:TCP|UDP)|$)/;

const known: ReadonlySet<string> = new Set(names);

/** @returns the setting that a name was probably meant to be */
export function nearestName(name: string): string | undefined {
  // Variables of other programs differ in the first letter more often than a misspelt one does: SSL_CERT_FILE.
  const similar = names.filter((one) => one[0] === name[0]);
  const nearest = similar.length > 0 ? closest(name, similar) : undefined;
  if (nearest !== undefined && distance(name, nearest) <= (name.length < 8 ? 1 : 2)) return nearest;
  return names.find(
    (one) => one.includes('_') && (`${one}_`.startsWith(`${name}_`) || name.startsWith(`${one}_`)),
  );
}

/**
 * Lines about variables of an environment that are no settings and look like one. Other programs have variables as well,
 * so that these are warnings.
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
