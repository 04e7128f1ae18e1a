import { z } from 'zod';
import { isObject } from '../../../../kernel/json/json.ts';
import type { Destination } from '../../port.ts';
import { type Broker, createMemory, read, viewOf } from '../exchange.ts';
import type { NodeKey } from '../node-key.ts';

/** A transport: its protocol, and the pools that offer it. The broker prefers the lowest `priority`. */
export type Delivery = {
  id: string;
  type: string;
  protocol: string;
  pools: string[];
  priority: number;
  label: string;
};

const Row = z.object({
  id: z.guid(),
  type: z.string().max(128),
  protocol: z
    .string()
    .regex(/^[A-Za-z0-9_.:-]{1,64}$/)
    .catch('unknown'),
  // Ids since version 4.0, objects before.
  pools: z
    .array(z.union([z.guid(), z.object({ id: z.guid() }).transform(({ id }) => id)]))
    .max(10_000)
    .catch([]),
  priority: z.number().catch(0),
  label: z.string().max(256).catch(''),
});
const Rows = z.array(Row).max(10_000);

/** The transports of brokers, remembered for a few minutes. */
export class Deliveries {
  readonly #broker: Broker;
  readonly #all = createMemory<Map<string, Delivery>>();
  readonly #settings = createMemory<Record<string, unknown>>();

  constructor(broker: Broker) {
    this.#broker = broker;
  }

  async all(to: Destination, own: NodeKey): Promise<Map<string, Delivery>> {
    const known = this.#all.get(viewOf(to.node));
    if (known) return known;
    const question = { ...to, method: 'GET', path: ['transports'], key: own } as const;
    const rows = await read(this.#broker, { ...question, maxBytes: 8 * 1024 * 1024 }, Rows);
    const found = new Map(
      rows.map((row) => [row.id, { ...row, pools: row.pools.map((id) => id.toLowerCase()) }]),
    );
    this.#all.set(viewOf(to.node), found);
    return found;
  }

  /** Settings of one transport by their names on the broker. */
  async settingsOf(to: Destination, own: NodeKey, id: string): Promise<Record<string, unknown>> {
    const place = `${viewOf(to.node)} ${id}`;
    const known = this.#settings.get(place);
    if (known) return known;
    const question = { ...to, method: 'GET', path: ['transports', id], key: own } as const;
    const found = await read(this.#broker, question, Settings);
    // Version 5.0 has the settings of a transport in a member of their own.
    const flat = { ...found, ...(isObject(found.instance) && found.instance) };
    this.#settings.set(place, flat);
    return flat;
  }
}

const Settings = z.record(z.string(), z.unknown());

/** The direct connection to the desktop: the only kind whose parameters another program can use. */
export const isDirect = ({ type, protocol }: Delivery): boolean =>
  type === 'RDPTransport' && protocol === 'rdp';

/** A page of the broker is the client, which needs its session in the browser. */
export const isPage = ({ type }: Delivery): boolean => type.startsWith('HTML5') || type === 'URLTransport';
