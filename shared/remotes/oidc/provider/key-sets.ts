import { RecentMap } from '../../../kernel/concurrency/recent-map.ts';
import { type Call, callOf, sendOf } from '../exchange/call.ts';
import { converting } from '../exchange/faults.ts';
import type { KeySet, Memory, Provider } from '../exchange/memory.ts';
import { OidcError } from '../port.ts';

type CachedKeys = { jwks: KeySet; readAt: number };

/** Maximum age, which limits the use of a withdrawn key. */
const maxAgeMs = 300_000;
/** Minimum time between two reads, which limits the requests that unknown key ids cause. */
const minIntervalMs = 10_000;
const mostProviders = 100;
const mostKeys = 100;

export const createKeySetCache = (): Memory['keySets'] => new RecentMap(mostProviders);

/**
 * The keys of a provider. They are read again if they are older than five minutes, or if they lack a key that a token
 * names.
 * @throws OidcError `discovery`, `unreachable`, `address_not_allowed`
 */
export async function keysFor(call: Call, provider: Provider, kid: string | undefined): Promise<KeySet> {
  const { keySets, singleFlight } = call.memory;
  const place = `${provider.id} ${provider.metadata.jwks_uri}`;
  const cached = keySets.get(place);
  if (cached && isCurrent(cached, kid)) return cached.jwks;
  const read = async (): Promise<KeySet> => {
    const own = singleFlight ? callOf(call.memory, call.client, undefined) : call;
    const jwks = await converting('keys', 'discovery', () => readKeys(own, provider));
    keySets.set(place, { jwks, readAt: performance.now() });
    return jwks;
  };
  return singleFlight ? singleFlight(`oidc keys ${place}`, read) : read();
}

function isCurrent({ jwks, readAt }: CachedKeys, kid: string | undefined): boolean {
  const age = performance.now() - readAt;
  if (age >= maxAgeMs) return false;
  return age < minIntervalMs || kid === undefined || jwks.keys.some((key) => key.kid === kid);
}

async function readKeys(call: Call, { metadata }: Provider): Promise<KeySet> {
  const headers = { accept: 'application/jwk-set+json, application/json' };
  const response = await sendOf(call)(metadata.jwks_uri ?? '', { method: 'GET', headers });
  const set: unknown = response.status === 200 ? await response.json().catch(() => undefined) : undefined;
  if (!isKeySet(set)) throw new OidcError('discovery', { claim: 'jwks_uri' });
  return set;
}

const isKeySet = (set: unknown): set is KeySet =>
  typeof set === 'object' &&
  set !== null &&
  'keys' in set &&
  Array.isArray(set.keys) &&
  set.keys.length <= mostKeys &&
  set.keys.every((key: unknown) => typeof key === 'object' && key !== null && !Array.isArray(key));
