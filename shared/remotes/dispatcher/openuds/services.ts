import { z } from 'zod';
import { isStorable } from '../../../kernel/text.ts';
import type { Service, ServiceState } from '../connections.ts';
import { badAnswer, isUnauthorized } from '../failures.ts';
import type { Call, OwnKey } from '../port.ts';
import { type Broker, parseJson, read } from './exchange.ts';
import { fromStatus } from './faults.ts';
import type { MetaPools } from './lists/meta-pools.ts';
import type { Deliveries, Delivery } from './lists/transports.ts';
import { keyOf, type NodeKey } from './node-key.ts';
import { withOwnKey } from './people.ts';
import { type Way, waysOf } from './ways.ts';

const shown = (max: number) =>
  z
    .string()
    .transform((text) => text.replace(/\p{Cc}/gu, ' ').slice(0, max))
    .refine(isStorable)
    .catch('');

/** The id is that of a transport. A meta pool also has `meta` and `LABEL:<label>`, where the broker chooses one. */
const TransportOfService = z.object({
  id: z.string().regex(/^(?:[0-9a-f-]{36}|meta|LABEL:.{1,256})$/is),
  priority: z.number().catch(0),
});

/** The id is a letter and the id of the pool: `F`, or `M` for a meta pool. */
const ServiceRow = z.object({
  id: z.string().regex(/^[FM][0-9a-f-]{36}$/i),
  name: shown(256),
  visual_name: shown(256),
  description: shown(1024),
  transports: z
    .array(z.unknown())
    .max(200)
    .catch([])
    .transform((rows) => rows.flatMap((row) => TransportOfService.safeParse(row).data ?? [])),
  maintenance: z.boolean().catch(false),
  // Spelled like this by the broker.
  not_accesible: z.boolean().catch(false),
  in_use: z.boolean().catch(false),
  custom_calendar_text: shown(1024),
});
export type ServiceRow = z.output<typeof ServiceRow>;

const Listed = z.object({ services: z.array(z.unknown()).max(5_000) });
const Answer = z.object({ result: Listed });
const servicesPage = 'uds/webapi/services';

const Desktop = z.object({
  id: z.guid(),
  pool_id: z.guid().transform((id) => id.toLowerCase()),
  in_use: z.boolean().catch(false),
  os_state: z.string().nullish().catch(null),
});
export type Desktop = z.output<typeof Desktop>;
const Desktops = z.array(z.unknown()).max(5_000);

/** The calls that need a key of the portal have it, or the key of the call is that of the portal. */
const ownKeyFor = ({ key, ownKey }: Call): OwnKey => ownKey ?? (async () => key);

type ServiceParts = { broker: Broker; deliveries: Deliveries; metaPools: MetaPools };

/** A service of the user, its ways, and the pools that its desktops come from. */
export type OfferedService = { row: ServiceRow; pools: readonly string[]; ways: Way[] };

/** The services and desktops of users. */
export class Services {
  readonly #parts: ServiceParts;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  /** The services of the user of the key. The question has no effect. */
  async list(call: Call): Promise<OfferedService[]> {
    const [rows, known] = await Promise.all([this.#rows(call), this.ways(call)]);
    const found: OfferedService[] = [];
    // One after the other, so that a broker of a few workers is not kept busy.
    for (const row of rows) {
      const pools = isMeta(row) ? await this.#poolsOf(call, poolOf(row)) : [poolOf(row)];
      found.push({ row, pools, ways: waysOf(row.transports, known, pools) });
    }
    return found;
  }

  async #rows(call: Call): Promise<ServiceRow[]> {
    const { broker } = this.#parts;
    const { servicesFrom } = await broker.dialect(call);
    const { services } = servicesFrom === 'page' ? await this.#onPage(call) : await this.#onRest(call);
    return services.flatMap((row) => ServiceRow.safeParse(row).data ?? []);
  }

  async #onRest(call: Call): Promise<z.output<typeof Listed>> {
    const question = { ...call, method: 'GET', path: ['connection'], key: keyOf(call.key) } as const;
    return (await read(this.#parts.broker, question, Answer)).result;
  }

  /** A session that has ended is sent to the page of the login. */
  async #onPage(call: Call): Promise<z.output<typeof Listed>> {
    const key = keyOf(call.key);
    const { status, text } = await this.#parts.broker.open(call, servicesPage, {
      session: key.session,
      clientIp: key.user?.clientIp,
    });
    if (status !== 200) throw fromStatus(call.node, status < 400 ? 403 : status, key);
    const parsed = Listed.safeParse(parseJson(text));
    if (!parsed.success) throw badAnswer(call.node, 'wrong_shape');
    return parsed.data;
  }

  #poolsOf(call: Call, metaPool: string): Promise<string[]> {
    return this.asOwn(call, (own) => this.#parts.metaPools.poolsOf(call, own, metaPool));
  }

  /** The desktops of the user. */
  async desktops(call: Call): Promise<Desktop[]> {
    const { broker } = this.#parts;
    const { user } = keyOf(call.key);
    if (!user) return [];
    const { names } = await broker.dialect(call);
    const path = ['authenticators', user.authenticator, 'users', user.id, names.userServices];
    const rows = await this.asOwn(call, (key) =>
      read(broker, { ...call, method: 'GET', path, key }, Desktops),
    );
    return rows.flatMap((row) => Desktop.safeParse(row).data ?? []);
  }

  ways(call: Call): Promise<Map<string, Delivery>> {
    return this.asOwn(call, (own) => this.#parts.deliveries.all(call, own));
  }

  asOwn<T>(call: Call, work: (own: NodeKey) => Promise<T>): Promise<T> {
    return withOwnKey(ownKeyFor(call), isUnauthorized, work);
  }

  async services(call: Call): Promise<Service[]> {
    const [offered, owned] = await Promise.all([this.list(call), this.desktops(call)]);
    return offered.map((one) => serviceOf(one, owned));
  }
}

const isMeta = ({ id }: Pick<ServiceRow, 'id'>): boolean => id.startsWith('M');
export const poolOf = ({ id }: Pick<ServiceRow, 'id'>): string => id.slice(1).toLowerCase();

function serviceOf({ row, pools, ways }: OfferedService, owned: readonly Desktop[]): Service {
  const uuid = poolOf(row);
  const own = owned.filter(({ pool_id }) => pools.includes(pool_id));
  const sessions = own
    .filter(({ in_use }) => in_use)
    .map(({ id }) => ({ session_uuid: id, state: 'active' as const }));
  return {
    uuid,
    name: row.visual_name || row.name || uuid,
    description: row.description,
    protocols: [...new Set(ways.map(({ protocol }) => protocol))].slice(0, 16),
    state: stateOf(row),
    in_use: row.in_use,
    maintenance: row.maintenance,
    ...(row.custom_calendar_text !== '' && { maintenance_message: row.custom_calendar_text }),
    sessions,
    ...(own.length > 0 && { owned: true }),
  };
}

export function stateOf({ maintenance, not_accesible }: ServiceRow): ServiceState {
  if (maintenance) return 'maintenance';
  return not_accesible ? 'unavailable' : 'ready';
}
