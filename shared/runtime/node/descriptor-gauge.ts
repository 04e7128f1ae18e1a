import { readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { softLimitIn } from './descriptors.ts';

/** The soft limit of this process; undefined if the system does not expose it. */
function descriptorLimit(): number | undefined {
  try {
    return softLimitIn(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return undefined;
  }
}

const folder = '/proc/self/fd';
/** Above this share of the limit descriptors are scarce; the rest is for the database and for files. */
const scarceShare = 0.9;
const everyMs = 1_000;

/** Connections whose idle ones can be closed one by one. */
type Closable = { readonly size: number; closeOldest(): boolean };

export type DescriptorGauge = {
  /** Number of excess descriptors with this number of connections; 0 if there is room. */
  excess(connections: number): number;
  /**
   * Counts descriptors once a second, and closes idle connections while there are too many. @returns a function that
   * stops this
   */
  watch(connections: Closable): () => void;
};

/**
 * Compares the open descriptors of the process with its limit. Counting takes time in proportion to their number, so
 * they are counted once a second, and connections opened since then are added.
 * @param mostConnections maximum number of connections; a limit far above it is never reached
 */
export function createDescriptorGauge(
  mostConnections: number,
  limit: number | undefined = descriptorLimit(),
): DescriptorGauge {
  if (limit === undefined || limit > 2 * mostConnections + 1_000)
    return { excess: () => 0, watch: () => () => undefined };
  const most = Math.floor(limit * scarceShare);
  // Excludes the descriptor of the reading itself; there are no connections yet.
  let others = readdirSync(folder).length - 1;
  const excess = (connections: number): number => Math.max(0, others + connections - most);
  const relieve = async (connections: Closable): Promise<void> => {
    // Reading requires a descriptor. If it fails, none is left.
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
