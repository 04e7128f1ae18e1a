import type { SingleFlight } from '../../kernel/concurrency/single-flight.ts';
import { sha256 } from '../../kernel/crypto/digests.ts';
import type { KeySource, PeerKeyRemote } from './https.ts';
import type { PublicKey } from './shapes.ts';

export type PeerKeys = {
  /**
   * The key of this name. A name that is not known is looked for once more at its source, for keys are renewed.
   * @throws AppError `upstream_*` when the source gives no keys
   */
  find(source: KeySource, kid: string, now: Date): Promise<PublicKey | undefined>;
};

/** Keys as they were read at `readAt`; `triedAt` and `fault` tell of the latest attempt. */
type Kept = { keys: readonly PublicKey[]; readAt: number; triedAt: number; fault: unknown };

/** A key that its owner has withdrawn counts no longer than this. */
const longestKeptMs = 300_000;
/** Whoever names keys that do not exist makes us ask no more often than this. */
const restMs = 5_000;
const mostSources = 100;

/** Keys of peers, kept for a while by this process or isolate; who asks for the same meanwhile waits for one answer. */
export function createPeerKeys(remote: PeerKeyRemote, singleFlight?: SingleFlight): PeerKeys {
  const sources = new Map<string, Kept>();
  const read = async (source: KeySource, id: string, now: number): Promise<Kept> => {
    const former = sources.get(id);
    const kept = await remote.fetch(source).then(
      (keys) => ({ keys, readAt: now, triedAt: now, fault: undefined }),
      (fault: unknown) => ({ keys: [], readAt: 0, ...former, triedAt: now, fault }),
    );
    keep(sources, id, kept);
    return kept;
  };
  return {
    find: async (source, kid, now) => {
      const id = sha256(JSON.stringify([source.url, source.ca]));
      const at = now.getTime();
      const known = sources.get(id);
      const found = known && keyIn(known, kid, at);
      if (found) return found;
      const again = () => read(source, id, at);
      const isTooSoon = known && at - known.triedAt < restMs;
      const latest = isTooSoon
        ? known
        : await (singleFlight ? singleFlight(`peer keys ${id}`, again) : again());
      const key = keyIn(latest, kid, at);
      if (!key && latest.fault !== undefined) throw latest.fault;
      return key;
    },
  };
}

const keyIn = ({ keys, readAt }: Kept, kid: string, now: number): PublicKey | undefined =>
  now - readAt < longestKeptMs ? keys.find((key) => key.kid === kid) : undefined;

function keep(sources: Map<string, Kept>, id: string, kept: Kept): void {
  sources.delete(id);
  sources.set(id, kept);
  for (const oldest of sources.keys()) {
    if (sources.size <= mostSources) break;
    sources.delete(oldest);
  }
}
