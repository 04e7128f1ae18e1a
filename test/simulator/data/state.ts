import { createHash } from 'node:crypto';
import { type Collection, createCollection } from './collection.ts';
import type { Domain, Person, Pool, Tag, Workplace, WorkplaceSession } from './rows.ts';
import { createStamps } from './stamps.ts';

/** The shared state of the nodes of one farm: several simulators may serve one state. */
export type DispatcherState = {
  readonly name: string;
  readonly domains: Domain[];
  readonly pools: Collection<Pool>;
  readonly workplaces: Collection<Workplace>;
  readonly sessions: Collection<WorkplaceSession>;
  readonly tags: Collection<Tag>;
  /** Live sessions by `personKey`. */
  readonly sessionsByPerson: Map<string, Set<WorkplaceSession>>;
  /** Messages delivered to workplaces, oldest first. */
  readonly messages: { workplace_uuid: string; title: string | null; message: string; level: string }[];
  sessionOnConnect: boolean;
  /** @throws Error if there is none */
  poolNamed(name: string): Pool;
  /** Changes a pool as its own administration would; lists report it and its workplaces as changed. */
  changePool(name: string, change: Partial<Omit<Pool, 'uuid' | 'members'>>): void;
  /** An identifier derived from the state's name and a number: equal seeds have equal identifiers. */
  newUuid(kind: Kind): string;
};

const kinds = { pool: 1, workplace: 2, session: 3, tag: 4 } as const;
type Kind = keyof typeof kinds;

/** A dispatcher without pools; an equal name has equal identifiers. */
export function emptyState(name: string, domains: Domain[], sessionOnConnect: boolean): DispatcherState {
  const stamps = createStamps();
  const pools = createCollection<Pool>(stamps);
  const workplaces = createCollection<Workplace>(stamps);
  const poolNamed = (wanted: string): Pool => {
    const pool = pools.all().find((one) => one.name === wanted);
    if (!pool) throw new Error(`the simulated dispatcher has no pool ${wanted}`);
    return pool;
  };
  return {
    name,
    domains,
    pools,
    workplaces,
    sessions: createCollection<WorkplaceSession>(stamps),
    tags: createCollection<Tag>(stamps),
    sessionsByPerson: new Map(),
    messages: [],
    sessionOnConnect,
    poolNamed,
    changePool: (wanted, change) => {
      const pool = Object.assign(poolNamed(wanted), change);
      pools.touch(pool.uuid);
      for (const { uuid } of pool.members) workplaces.touch(uuid);
    },
    newUuid: numbering(name),
  };
}

/** Tags are created with their first use. */
export function addTag(state: DispatcherState, name: string): void {
  if (state.tags.all().some((tag) => tag.name === name)) return;
  const uuid = state.newUuid('tag');
  state.tags.put(uuid, { uuid, name });
}

/** Marks a workplace as changed, and its pool, whose counts depend on it. */
export function touchWorkplace(state: DispatcherState, workplace: Workplace): void {
  state.workplaces.touch(workplace.uuid);
  state.pools.touch(workplace.pool.uuid);
}

/** Names and labels compare without regard to case. */
export const personKey = ({ domain, name }: Person): string => `${domain}\\${name}`.toLowerCase();

function numbering(name: string): (kind: Kind) => string {
  const hash = createHash('sha256').update(name).digest('hex');
  const prefix = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(12, 15)}-800`;
  const used = { pool: 0, workplace: 0, session: 0, tag: 0 };
  return (kind) => {
    used[kind] += 1;
    return `${prefix}${kinds[kind]}-${used[kind].toString(16).padStart(12, '0')}`;
  };
}
