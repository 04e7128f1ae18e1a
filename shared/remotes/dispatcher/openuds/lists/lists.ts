import { sha256 } from '../../../../kernel/crypto/digests.ts';
import { AppError } from '../../../../kernel/errors.ts';
import { badAnswer, failure } from '../../failures.ts';
import type { Call, Node } from '../../port.ts';
import {
  type CheckedRow,
  type Ignored,
  type ListKind,
  type ListPage,
  type ListQuery,
  type ListRow,
  tagId,
  unknown,
} from '../../rows.ts';
import { type Broker, createMemory, viewOf } from '../exchange.ts';
import { fromStatus } from '../faults.ts';
import { keyOf } from '../node-key.ts';
import type { People } from '../people.ts';
import { PoolShape, poolRow } from './pools.ts';
import { most, RowSource } from './row-source.ts';
import { Slots } from './slots.ts';
import type { Deliveries } from './transports.ts';
import {
  type Authenticators,
  type DesktopMembers,
  DesktopShape,
  isGone,
  ownerOf,
  sessionRow,
  workplaceRow,
} from './workplaces.ts';

/** For how long one list of a round serves the next. */
const keptMs = 60_000;
/** The use of pools is remembered longer than the longest pause between two rounds. */
const useMs = 3_600_000;

/** The lists of the desktops of a pool: those without an owner come first. */
const parts = ['cache', 'services'] as const;

/** The limit of a read of all desktops, in milliseconds. It is shorter than the lease of the read. */
const longestMs = 480_000;

type Rows<K extends ListKind> = { rows: CheckedRow<ListRow<K>>[]; dropped: Ignored[] };
type PoolList = { found: Rows<'servicespools'>; asOf: string };
type Inventory = { workplaces: Rows<'workplaces'>; spsessions: Rows<'spsessions'>; asOf: string };
type Parts = { broker: Broker; deliveries: Deliveries; people: People };

/** A desktop, its pool, and the list of the pool that has it. */
export type FoundDesktop = { row: ListRow<'workplaces'>; pool: string; part: (typeof parts)[number] };

const nothing: Rows<'workplaces'> = { rows: [], dropped: [] };

/**
 * Reads the lists of brokers, one list at a time for each node.
 * Sessions and the use of pools follow from the desktops; what one list gives for the next is kept for a minute.
 */
export class Lists {
  readonly #parts: Parts;
  readonly #rows: RowSource;
  readonly #turns = new Slots();
  readonly #kept = createMemory<Inventory>(keptMs);
  readonly #pools = createMemory<PoolList>(keptMs);
  readonly #uses = createMemory<Map<string, number>>(useMs);

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#rows = new RowSource(parts.broker);
  }

  /** Reads a list as a whole. @returns null if its content has the digest `etag` */
  list<K extends ListKind>(call: Call, kind: K, { etag }: ListQuery): Promise<ListPage<ListRow<K>> | null> {
    return this.#turns.run(viewOf(call.node), async () => {
      const { found, asOf } = await this.#partOf(call, kind);
      const digest = digestOf(found.rows);
      if (digest === etag) return null;
      const { rows, dropped } = found as Rows<K>;
      return { rows, dropped, next: null, asOf, removed: undefined, etag: digest };
    });
  }

  /** Reads one pool again, after an order. */
  async pool(call: Call, uuid: string): Promise<ListRow<'servicespools'> | undefined> {
    const { rows } = await this.#readPools(call);
    return rows.find(({ row }) => row.uuid === uuid.toLowerCase())?.row;
  }

  /** Finds one desktop: the broker does not answer for a single one. */
  async desktop(call: Call, uuid: string): Promise<FoundDesktop | undefined> {
    const names = await this.#authenticators(call);
    for (const { row: pool } of (await this.#readPools(call)).rows)
      for (const part of parts) {
        let row: ListRow<'workplaces'> | undefined;
        await this.#rows.read(
          call,
          keyOf(call.key),
          ['servicespools', pool.uuid, part],
          DesktopShape,
          (members) => {
            if (members.id !== uuid.toLowerCase() || isGone(members)) return;
            row = workplaceRow(members, pool, ownerOf(members, names, call.node.identity));
          },
        );
        if (row) return { row, part, pool: pool.uuid };
      }
    return undefined;
  }

  async #partOf(call: Call, kind: ListKind): Promise<{ found: Rows<ListKind>; asOf: string }> {
    const place = viewOf(call.node);
    if (kind === 'servicespools') {
      const found = await this.#readPoolList(call);
      this.#pools.set(place, found);
      return found;
    }
    if (kind === 'tags') {
      const { found, asOf } = this.#pools.get(place) ?? (await this.#readPoolList(call));
      this.#pools.delete(place);
      return { found: tagsOf(found), asOf };
    }
    const known = kind === 'spsessions' ? this.#kept.get(place) : undefined;
    const inventory = known ?? (await this.#readInventory(call));
    if (kind === 'spsessions') this.#kept.delete(place);
    else this.#kept.set(place, { ...inventory, workplaces: nothing });
    return { found: inventory[kind], asOf: inventory.asOf };
  }

  async #readPoolList(call: Call): Promise<PoolList> {
    const asOf = new Date().toISOString();
    return { found: await this.#readPools(call), asOf };
  }

  async #readPools(call: Call): Promise<Rows<'servicespools'>> {
    const ways = await this.#parts.deliveries.all(call, keyOf(call.key));
    const inUse = this.#uses.get(viewOf(call.node));
    const rows: Rows<'servicespools'>['rows'] = [];
    const dropped = await this.#rows.read(
      call,
      keyOf(call.key),
      ['servicespools'],
      PoolShape,
      (row, ignored) => {
        rows.push({ row: poolRow(row, ways.values(), inUse?.get(row.id) ?? (inUse ? 0 : null)), ignored });
      },
    );
    if (rows.length + dropped.length === 0) await this.#assertAdministrator(call);
    return { rows, dropped };
  }

  /** An account that is not an administrator any more gets empty lists, which must not empty the farm. */
  async #assertAdministrator(call: Call): Promise<void> {
    const key = keyOf(call.key);
    const { status } = await this.#parts.broker.ask({ ...call, method: 'GET', path: ['config'], key });
    if (status !== 200) throw fromStatus(call.node, status, key);
  }

  async #readInventory(call: Call): Promise<Inventory> {
    const asOf = new Date().toISOString();
    const { rows: pools } = this.#pools.get(viewOf(call.node))?.found ?? (await this.#readPools(call));
    const found = new Collected(call.node, await this.#authenticators(call), asOf);
    const endsAt = performance.now() + longestMs;
    for (const { row: pool } of pools) {
      if (performance.now() > endsAt) throw failure('upstream_timeout', call.node);
      await this.#readDesktops(call, pool, found);
    }
    const spsessions = found.sessionRows();
    this.#uses.set(viewOf(call.node), useByPool(spsessions));
    return { workplaces: found.workplaceRows(), spsessions, asOf };
  }

  /** A pool that was removed after the list of pools has no desktops. */
  async #readDesktops(call: Call, pool: ListRow<'servicespools'>, found: Collected): Promise<void> {
    try {
      for (const part of parts) {
        const path = ['servicespools', pool.uuid, part];
        const dropped = await this.#rows.read(call, keyOf(call.key), path, DesktopShape, (row, ignored) =>
          found.add(pool, row, ignored),
        );
        found.dropped.push(...dropped);
      }
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'not_found')) throw error;
      const { rows } = await this.#readPools(call);
      if (rows.some(({ row }) => row.uuid === pool.uuid)) throw error;
    }
  }

  async #authenticators(call: Call): Promise<Authenticators> {
    const rows = await this.#parts.people.domains(call);
    return new Map(
      rows.map(({ authUuid, auth: name, authSmallName: label }) => [authUuid.toLowerCase(), { name, label }]),
    );
  }
}

/** The desktops of all pools of a broker while they are read. */
class Collected {
  readonly dropped: Ignored[] = [];
  readonly #node: Node;
  readonly #authenticators: Authenticators;
  readonly #readAt: string;
  readonly #workplaces = new Map<string, CheckedRow<ListRow<'workplaces'>>>();
  readonly #sessions = new Map<string, CheckedRow<ListRow<'spsessions'>>>();

  constructor(node: Node, authenticators: Authenticators, readAt: string) {
    this.#node = node;
    this.#authenticators = authenticators;
    this.#readAt = readAt;
  }

  /** A desktop may move from the cache to its owner between two requests; the later row counts. */
  add(pool: ListRow<'servicespools'>, row: DesktopMembers, ignored: Ignored[]): void {
    if (isGone(row)) return;
    const owner = ownerOf(row, this.#authenticators, this.#node.identity);
    const workplace = workplaceRow(row, pool, owner);
    this.#workplaces.set(row.id, { row: workplace, ignored });
    const [only, ...others] = pool.protocols ?? [];
    const protocol = only !== undefined && others.length === 0 ? only : unknown;
    // A desktop that is removed keeps its mark of use for hours.
    if (row.in_use && row.state === 'U')
      this.#sessions.set(row.id, { row: sessionRow(row, workplace, protocol, this.#readAt), ignored: [] });
    if (this.#workplaces.size > most.rows) throw badAnswer(this.#node, 'too_large');
  }

  workplaceRows(): Rows<'workplaces'> {
    return { rows: [...this.#workplaces.values()], dropped: this.dropped };
  }

  sessionRows(): Rows<'spsessions'> {
    return { rows: [...this.#sessions.values()], dropped: [] };
  }
}

function useByPool({ rows }: Rows<'spsessions'>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { row } of rows)
    if (row.servicepool_uuid) counts.set(row.servicepool_uuid, (counts.get(row.servicepool_uuid) ?? 0) + 1);
  return counts;
}

function tagsOf({ rows }: Rows<'servicespools'>): Rows<'tags'> {
  const names = [...new Set(rows.flatMap(({ row }) => row.tags ?? []))].sort();
  return { rows: names.map((name) => ({ row: { uuid: tagId(name), name }, ignored: [] })), dropped: [] };
}

/** A digest of the rows without the time of reading, in a fixed order. */
function digestOf(rows: Rows<ListKind>['rows']): string {
  const digests = rows.map(({ row }) => sha256(JSON.stringify({ ...row, last_seen_at: null })));
  return `"${sha256(digests.sort().join(' '))}"`;
}
