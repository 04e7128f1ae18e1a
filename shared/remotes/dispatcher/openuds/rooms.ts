import { z } from 'zod';
import type { Call } from '../port.ts';
import { type Broker, read } from './exchange.ts';
import { RowSource } from './lists/row-source.ts';
import { keyOf } from './node-key.ts';
import type { Services } from './services.ts';

/**
 * Whether a service can give the user a desktop: `own`: the user has one; `preparing`: one is prepared for the user;
 * `free`: the broker can assign one; `full`: it cannot.
 */
export type Room = 'own' | 'preparing' | 'free' | 'full';

const count = z.number().catch(0);
/** `usage` is the part of the highest number of desktops that is assigned, as in `83%`. */
const PoolCounts = z.object({
  max_srvs: count,
  user_services_count: count,
  user_services_in_preparation: count,
  restrained: z.boolean().catch(false),
  usage: z.string().nullish().catch(null),
});
type PoolCounts = z.output<typeof PoolCounts>;

/** The owner of a desktop, also of one that is not ready. */
const OwnedRow = z.object({
  id: z.guid(),
  state: z.string().nullish(),
  os_state: z.string().nullish(),
  owner_info: z.object({ user_id: z.string() }).nullish().catch(null),
});
type RowStates = Pick<z.output<typeof OwnedRow>, 'state' | 'os_state'>;

type Parts = { broker: Broker; services: Services };

/** Judges pools from lists, because a question about a connection assigns a desktop or uses up a ticket. */
export class Rooms {
  readonly #parts: Parts;
  readonly #rows: RowSource;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#rows = new RowSource(parts.broker);
  }

  /** @param pools ids of the pools of the service: several for a meta pool, of which any may have room */
  async roomFor(call: Call, pools: readonly string[]): Promise<Room> {
    const [owned, counts] = await Promise.all([
      this.#parts.services.desktops(call),
      Promise.all(pools.map((pool) => this.#countsOf(call, pool))),
    ]);
    const own = owned.find(({ pool_id }) => pools.includes(pool_id));
    if (own) return isReady(own) ? 'own' : 'preparing';
    const inPreparation = pools.filter((_, at) => (counts[at]?.user_services_in_preparation ?? 0) > 0);
    const rows = await this.#rowsOfUser(call, inPreparation);
    if (rows.some(isInPreparation)) return 'preparing';
    return counts.every(isFull) ? 'full' : 'free';
  }

  /** The same after a question that gave no connection. `failed`: the desktop that was prepared for the user failed. */
  async roomAfterQuestion(call: Call, pools: readonly string[]): Promise<Room | 'failed'> {
    const before = await this.roomFor(call, pools);
    if (before !== 'free') return before;
    const rows = await this.#rowsOfUser(call, pools);
    return rows.some(({ state }) => state === 'E') ? 'failed' : 'free';
  }

  #countsOf(call: Call, pool: string): Promise<PoolCounts> {
    const { broker, services } = this.#parts;
    const path = ['servicespools', pool];
    return services.asOwn(call, (key) => read(broker, { ...call, method: 'GET', path, key }, PoolCounts));
  }

  /** Assigned desktops of the user. The list of the user has only those that are ready. */
  async #rowsOfUser(call: Call, pools: readonly string[]): Promise<RowStates[]> {
    const { user } = keyOf(call.key);
    const found: RowStates[] = [];
    if (!user?.id) return found;
    // One after the other: the lists can be long.
    for (const pool of pools)
      await this.#parts.services.asOwn(call, (key) =>
        this.#rows.read(call, key, ['servicespools', pool, 'services'], OwnedRow, (row) => {
          if (row.owner_info?.user_id === user.id) found.push(row);
        }),
      );
    return found;
  }
}

const isReady = ({ os_state }: RowStates): boolean =>
  os_state === undefined || os_state === null || os_state === 'U';

const isInPreparation = (row: RowStates): boolean =>
  row.state === 'P' || (row.state === 'U' && !isReady(row));

/** The broker assigns no further desktop of a restrained pool, in which too many failed. */
function isFull({ max_srvs, user_services_count, restrained, usage }: PoolCounts): boolean {
  const percent = usage ? Number.parseFloat(usage) : Number.NaN;
  const isUsedUp = Number.isNaN(percent) ? max_srvs > 0 && user_services_count >= max_srvs : percent >= 100;
  return restrained || isUsedUp;
}
