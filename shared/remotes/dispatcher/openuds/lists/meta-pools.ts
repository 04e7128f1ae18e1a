import { z } from 'zod';
import type { Destination } from '../../port.ts';
import { type Broker, createMemory, read, viewOf } from '../exchange.ts';
import type { NodeKey } from '../node-key.ts';

const Members = z.array(z.object({ pool_id: z.guid() })).max(1_000);

/**
 * Meta pools: a service whose desktop comes from one of several pools. The pools of each are remembered for a few
 * minutes.
 */
export class MetaPools {
  readonly #broker: Broker;
  readonly #pools = createMemory<string[]>();

  constructor(broker: Broker) {
    this.#broker = broker;
  }

  /** The ids of the pools of a meta pool. */
  async poolsOf(to: Destination, own: NodeKey, id: string): Promise<string[]> {
    const place = `${viewOf(to.node)} ${id}`;
    const known = this.#pools.get(place);
    if (known) return known;
    const path = ['metapools', id, 'pools'];
    const rows = await read(this.#broker, { ...to, method: 'GET', path, key: own }, Members);
    const found = rows.map((row) => row.pool_id.toLowerCase());
    this.#pools.set(place, found);
    return found;
  }
}
