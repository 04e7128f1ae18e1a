import type { SingleFlight } from '../../kernel/concurrency/single-flight.ts';
import { sha256 } from '../../kernel/crypto/digests.ts';
import type { KeySource, PeerKeyRemote } from './https.ts';
import type { PublicKey } from './shapes.ts';

export type PeerKeyCache = {
  /**
   * Returns the key with this id. For an unknown id the source is read again, because keys are rotated.
   * @throws AppError `upstream_*` if the source cannot be read
   */
  find(source: KeySource, kid: string, now: Date): Promise<PublicKey | undefined>;
};

/** Keys read at `readAt`; `triedAt` and `fault` describe the latest attempt. */
type CachedKeys = { keys: readonly PublicKey[]; readAt: number; triedAt: number; fault: unknown };

/** Maximum age of cached keys in milliseconds, which limits the use of a withdrawn key. */
const maxAgeMs = 300_000;
/** Minimum time between two reads in milliseconds, which limits requests caused by unknown key ids. */
const minIntervalMs = 5_000;
const maxSources = 100;

/** Caches peer keys in this process or isolate; concurrent reads of one source share a request. */
export function createPeerKeyCache(remote: PeerKeyRemote, singleFlight?: SingleFlight): PeerKeyCache {
  const sources = new Map<string, CachedKeys>();
  const read = async (source: KeySource, id: string, now: number): Promise<CachedKeys> => {
    const former = sources.get(id);
    const entry = await remote.fetch(source).then(
      (keys) => ({ keys, readAt: now, triedAt: now, fault: undefined }),
      (fault: unknown) => ({ keys: [], readAt: 0, ...former, triedAt: now, fault }),
    );
    addToCache(sources, id, entry);
    return entry;
  };
  return {
    find: async (source, kid, now) => {
      const id = sha256(JSON.stringify([source.url, source.ca]));
      const at = now.getTime();
      const cached = sources.get(id);
      const found = cached && keyIn(cached, kid, at);
      if (found) return found;
      const again = () => read(source, id, at);
      const isTooSoon = cached && at - cached.triedAt < minIntervalMs;
      const latest = isTooSoon
        ? cached
        : await (singleFlight ? singleFlight(`peer keys ${id}`, again) : again());
      const key = keyIn(latest, kid, at);
      if (!key && latest.fault !== undefined) throw latest.fault;
      return key;
    },
  };
}

const keyIn = ({ keys, readAt }: CachedKeys, kid: string, now: number): PublicKey | undefined =>
  now - readAt < maxAgeMs ? keys.find((key) => key.kid === kid) : undefined;

function addToCache(sources: Map<string, CachedKeys>, id: string, entry: CachedKeys): void {
  sources.delete(id);
  sources.set(id, entry);
  for (const oldest of sources.keys()) {
    if (sources.size <= maxSources) break;
    sources.delete(oldest);
  }
}
