import { z } from 'zod';
import { parseHost } from '../../../kernel/addresses/hosts.ts';
import type { AppError } from '../../../kernel/errors.ts';
import type { Connection, ConnectionLink, ConnectionQuery, Readiness, Reconnection } from '../connections.ts';
import { badAnswer, failure, fromConnecting } from '../failures.ts';
import type { Call, Node } from '../port.ts';
import { type Broker, read } from './exchange.ts';
import { refused } from './faults.ts';
import type { Keys } from './keys.ts';
import { type Deliveries, isDirect, isPage } from './lists/transports.ts';
import { keyOf } from './node-key.ts';
import type { People } from './people.ts';
import type { Room, Rooms } from './rooms.ts';
import { type OfferedService, poolOf, type Services, stateOf } from './services.ts';
import { type Way, waysOfPool } from './ways.ts';

/** Links and tickets of the broker are valid for 60 seconds; a part of it is left for the way to the client. */
const linkLifeS = 50;
const retryMs = 5_000;

const Direct = z.object({
  ip: z.string().max(255),
  host: z.string().max(255).nullish(),
  username: z.string().max(256).catch(''),
  domain: z.string().max(256).catch(''),
  password: z.string().max(1024).nullish(),
});
/** `result` is empty if the broker refuses. */
const Answer = z.object({
  result: z.unknown(),
  error: z.string().max(4096).nullish(),
  retryable: z.union([z.string(), z.boolean(), z.number()]).nullish(),
});

type Parts = {
  broker: Broker;
  people: People;
  keys: Keys;
  services: Services;
  deliveries: Deliveries;
  rooms: Rooms;
};

/** Connections of users to their desktops. */
export class Connections {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The service of the pool, from the list of the user: a question about a connection assigns a desktop. */
  async #serviceFor(call: Call, pool: string): Promise<OfferedService> {
    const offered = await this.#parts.services.list(call);
    const found = offered.find(({ row }) => poolOf(row) === pool.toLowerCase());
    if (!found) throw failure('not_found', call.node);
    return found;
  }

  async #direct(call: Call, service: OfferedService, { id }: Way): Promise<Connection> {
    // Before the question: a failure after it would leave a desktop behind.
    const port = await this.#portOf(call, id);
    const result = Direct.safeParse(await this.#ask(call, service.pools, [service.row.id, id]));
    const address = result.success ? parseHost(result.data.host || result.data.ip) : undefined;
    if (!result.success || address === undefined)
      throw fromConnecting(call.node, badAnswer(call.node, 'wrong_shape'));
    const { username, domain, password } = result.data;
    return {
      ...{ protocol: 'rdp', method: 'new', host: address, port },
      ...{ username: asLine(username), domain: asLine(domain), expires_in: linkLifeS },
      ...(password && password !== noPassword && { password: asLine(password) }),
    };
  }

  async #portOf(call: Call, transport: string): Promise<number> {
    const { names } = await this.#parts.broker.dialect(call);
    const settings = await this.#parts.services.asOwn(call, (own) =>
      this.#parts.deliveries.settingsOf(call, own, transport),
    );
    const port = Number(settings[names.rdpPort] ?? settings.rdpPort ?? settings.rdp_port);
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : rdpPort;
  }

  /** Asks for a connection, which assigns a desktop to the user. @returns the result, which has content */
  async #ask(
    call: Call,
    pools: readonly string[],
    path: readonly string[],
    headers?: Record<string, string>,
  ): Promise<unknown> {
    const key = keyOf(call.key);
    const question = { ...call, method: 'GET', path: ['connection', ...path], key, headers } as const;
    const answer = await onceAsked(call, read(this.#parts.broker, question, Answer));
    const { result, error, retryable } = answer;
    if (result) return result;
    throw await this.#refusalOf(call, pools, error ?? '', isOn(retryable));
  }

  /**
   * The text ends in a code from 1 to 4 while the desktop is prepared: not ready, without an address, port not
   * reachable, another machine. Other texts are not read: a full pool has several, also one that asks to wait.
   */
  async #refusalOf(call: Call, pools: readonly string[], text: string, mayWait: boolean): Promise<AppError> {
    const [, code] = /\(code 000([1-4])\)/.exec(text) ?? [];
    if (code !== undefined) return waiting(call.node, 'preparing', { percent: Number(code) * 25 });
    const room = await onceAsked(call, this.#parts.rooms.roomAfterQuestion(call, pools));
    if (room === 'preparing' || (room === 'own' && mayWait)) return waiting(call.node, 'preparing');
    if (room === 'failed') return refused(call.node, 'preparation_failed');
    // The question assigns a desktop if there is one.
    return room === 'full' || mayWait ? refused(call.node, 'no_free_workplace') : refused(call.node);
  }

  /** What the broker gives for a program: a link for it, or the path of a page. */
  async #linkOf(call: Call, pools: readonly string[], service: string, { id }: Way): Promise<string> {
    const { scrambler } = keyOf(call.key);
    const link = await this.#ask(call, pools, [service, id, 'udslink'], { scrambler });
    if (typeof link === 'string') return link;
    throw refused(call.node);
  }

  /** A link for the client program, which waits for the desktop itself. The broker writes the host of the request. */
  #programLink({ node }: Call, link: string): string {
    const parts = programLink.exec(link);
    if (!parts) throw refused(node);
    return `${parts[1]}://${publicUrlOf(node).host}${parts[2]}`;
  }

  /**
   * A page of the broker that signs the user in. With a service it opens the transport that the broker prefers,
   * otherwise the list of services. A ticket replaces the groups of the user, so they are read again.
   */
  async #pageLink(call: Call, service?: string): Promise<string> {
    const { user } = keyOf(call.key);
    if (!user) throw refused(call.node);
    const { keys, people, services } = this.#parts;
    const ticket = await services.asOwn(call, async (own) =>
      keys.createTicket(call, own, await people.current(call, own, user), service),
    );
    return new URL(`/uds/page/ticket/auth/${ticket}`, publicUrlOf(call.node)).href;
  }

  /** A link to a full pool would end on a page of the broker, and would use up the ticket. */
  async #link(call: Call, { row, ways, pools }: OfferedService, way: Way): Promise<ConnectionLink> {
    if ((await this.#parts.rooms.roomFor(call, pools)) === 'full')
      throw refused(call.node, 'no_free_workplace');
    const opened = () => this.#pageLink(call, way === ways[0] ? poolOf(row) : undefined);
    const answer = (link: string): ConnectionLink => ({
      ...{ method: 'link', protocol: way.protocol, link, expires_in: linkLifeS },
    });
    if (way.delivery && isPage(way.delivery)) return answer(await opened());
    const link = await this.#linkOf(call, pools, row.id, way);
    return answer(link.startsWith('/') ? await onceAsked(call, opened()) : this.#programLink(call, link));
  }

  async connectionInfo(
    call: Call,
    pool: string,
    query: ConnectionQuery,
  ): Promise<Connection | ConnectionLink> {
    const service = await this.#serviceFor(call, pool);
    const state = stateOf(service.row);
    if (state === 'maintenance') throw waiting(call.node, state);
    if (state !== 'ready') throw refused(call.node, state);
    const way = wayFor(service, query);
    if (!way) throw notOffered(call.node, service.ways.length > 0);
    return way.delivery && isDirect(way.delivery)
      ? this.#direct(call, service, way)
      : this.#link(call, service, way);
  }

  /** The verdict from the lists that decide about the connection as well. */
  async preconnectionInfo(call: Call, pool: string, query: ConnectionQuery): Promise<Readiness> {
    const service = await this.#serviceFor(call, pool);
    const way = wayFor(service, query);
    const state = stateOf(service.row);
    const base = { method: 'new', protocol: way?.protocol ?? query.protocol ?? 'unknown' } as const;
    if (state !== 'ready' || !way) {
      const { custom_calendar_text: message } = service.row;
      return {
        ...{ ...base, verdict: 'abandon', ready: false, state },
        reason_code: state === 'ready' ? 'protocol_not_offered' : state,
        ...(message !== '' && state !== 'ready' && { message }),
      };
    }
    return { ...base, ...readinessIn[await this.#parts.rooms.roomFor(call, service.pools)] };
  }

  /** A desktop of a meta pool is reached by the transports of its own pool. */
  async reconnect(call: Call, desktop: string): Promise<Reconnection> {
    const { services } = this.#parts;
    const found = (await services.desktops(call)).find(({ id }) => id === desktop.toLowerCase());
    if (!found) throw failure('not_found', call.node);
    const service = (await services.list(call)).find(({ pools }) => pools.includes(found.pool_id));
    if (!service) throw failure('not_found', call.node);
    const known = service.ways.filter(({ delivery }) => delivery?.pools.includes(found.pool_id));
    const ways = known.length > 0 ? known : waysOfPool(await services.ways(call), found.pool_id);
    const way = ways.find(({ delivery }) => delivery && !isPage(delivery));
    if (!way) throw refused(call.node);
    const link = this.#programLink(call, await this.#linkOf(call, [found.pool_id], `A${found.id}`, way));
    return { link, expires_in: linkLifeS };
  }
}

/** What follows a question, which may have assigned a desktop. @throws AppError as `fromConnecting` */
const onceAsked = <T>({ node }: Call, work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw fromConnecting(node, error);
  });

/** The program of version 5.0 has a scheme of its own. */
const programLink = /^(udss?|udssv2):\/\/[^/]+(\/[A-Za-z0-9/]+)$/;

const wayFor = ({ ways }: OfferedService, { protocol }: ConnectionQuery): Way | undefined =>
  ways.find((way) => !protocol || way.protocol === protocol);

const canConnect = { verdict: 'connect', ready: true, state: 'ready', reason_code: 'not_asked' } as const;
const readinessIn = {
  own: canConnect,
  free: canConnect,
  preparing: {
    ...{ verdict: 'wait', ready: false, state: 'busy', reason_code: 'preparing' },
    retry_after_ms: retryMs,
  },
  full: { verdict: 'abandon', ready: false, state: 'busy', reason_code: 'no_free_workplace' },
} as const satisfies Record<Room, Omit<Readiness, 'method' | 'protocol'>>;

const noPassword = 'UNKNOWN';
const rdpPort = 3389;

const asLine = (text: string): string => text.replace(/\p{Cc}/gu, '');

const isOn = (value: unknown): boolean => value === '1' || value === 1 || value === true;

const publicUrlOf = ({ publicUrl, url }: Node): URL => new URL(publicUrl ?? url);

const waiting = (node: Node, reason_code: string, more: { percent?: number } = {}) =>
  failure('service_in_preparation', node, {
    ...{ reason_code, ...more, retry_after_ms: retryMs, retry_after_s: retryMs / 1_000 },
  });

const notOffered = (node: Node, isOffered: boolean) =>
  isOffered ? waiting(node, 'protocol_not_offered') : refused(node, 'unavailable');
