import type { Delivery } from './lists/transports.ts';

/** One way to a desktop of a service. */
export type Way = {
  /** As connections name it: the id of a transport, or words of a meta pool that let the broker choose. */
  id: string;
  protocol: string;
  /** Null if the broker chooses the transport. */
  delivery: Delivery | null;
};

/** Prefix of a way that lets the broker choose among the transports with a label. */
const labelled = 'LABEL:';

/**
 * The ways to the desktops of a service, the one that the broker prefers first.
 * @param transports as the service lists them
 * @param pools ids of the pools that the desktops come from: several for a meta pool
 */
export function waysOf(
  transports: readonly { id: string; priority: number }[],
  known: ReadonlyMap<string, Delivery>,
  pools: readonly string[],
): Way[] {
  const members = [...known.values()].filter((one) => one.pools.some((pool) => pools.includes(pool)));
  return [...transports]
    .sort((a, b) => a.priority - b.priority)
    .flatMap(({ id }): Way[] => {
      const delivery = known.get(id);
      if (delivery) return [{ id, protocol: delivery.protocol, delivery }];
      if (id === 'meta') return chosenByBroker(id, members);
      if (!id.startsWith(labelled)) return [];
      const label = id.slice(labelled.length);
      return chosenByBroker(
        id,
        members.filter((one) => one.label === label),
      );
    });
}

/** The transports that a pool offers, the one that the broker prefers first. */
export const waysOfPool = (known: ReadonlyMap<string, Delivery>, pool: string): Way[] =>
  [...known.values()]
    .filter(({ pools }) => pools.includes(pool))
    .sort((a, b) => a.priority - b.priority)
    .map((delivery) => ({ id: delivery.id, protocol: delivery.protocol, delivery }));

/** The protocol is known if all transports have the same. */
function chosenByBroker(id: string, among: readonly Delivery[]): Way[] {
  const [first, ...others] = new Set(among.map(({ protocol }) => protocol));
  const protocol = first !== undefined && others.length === 0 ? first : 'unknown';
  return [{ id, protocol, delivery: null }];
}
