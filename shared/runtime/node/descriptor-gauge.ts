import { readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { softLimitIn } from './descriptors.ts';

/** The soft limit of this process; undefined where the system does not show it. */
function descriptorLimit(): number | undefined {
  try {
    return softLimitIn(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return undefined;
  }
}

const folder = '/proc/self/fd';
/** From this share of the limit on descriptors are scarce: the rest is for the database and for files. */
const scarceShare = 0.9;
const everyMs = 1_000;

/** Connections of which the idle ones can be closed one by one, until none is left. */
type Closable = { readonly size: number; closeOldest(): boolean };

export type DescriptorGauge = {
  /** How many descriptors too many are open when the server has that many connections; 0 if there is room. */
  excess(connections: number): number;
  /** Counts the descriptors once a second and closes idle connections while too many are open. @returns what ends that */
  watch(connections: Closable): () => void;
};

/**
 * Compares the open descriptors of this process with its limit. A count takes time in proportion to the descriptors,
 * so one is made each second, and the connections since then are added.
 * @param mostConnections connections that the server may have; a limit far above them is never reached
 */
export function createDescriptorGauge(
  mostConnections: number,
  limit: number | undefined = descriptorLimit(),
): DescriptorGauge {
  if (limit === undefined || limit > 2 * mostConnections + 1_000)
    return { excess: () => 0, watch: () => () => undefined };
  const most = Math.floor(limit * scarceShare);
  // Without those of the reading itself and of the connections, of which there are none yet.
  let others = readdirSync(folder).length - 1;
  const excess = (connections: number): number => Math.max(0, others + connections - most);
  const relieve = async (connections: Closable): Promise<void> => {
    // The reading needs a descriptor itself: if it fails, none is left.
    const open = await readdir(folder).then(
      (names) => names.length - 1,
      () => limit,
    );
    others = Math.max(0, open - connections.size);
    for (let left = excess(connections.size); left > 0 && connections.closeOldest(); left--);
  };
  return {
    excess,
    watch: (connections) => {
      const timer = setInterval(() => void relieve(connections), everyMs).unref();
      return () => clearInterval(timer);
    },
  };
}
