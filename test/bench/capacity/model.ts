import { rounded } from '../load.ts';
import { expiredList, unchangedList } from './operations.ts';

/** What one request costs, work of the sidecar that it causes included. */
export type OperationCost = {
  name: string;
  trips: number;
  /** Bytes between portal and database, in both directions. */
  bytes: number;
  /** Bytes of the body that the client receives, without compression. */
  answer_bytes: number;
  wal_bytes: number;
  /** CPU time of PostgreSQL and of the portal. Null outside of Linux. */
  database_cpu_ms: number | null;
  portal_cpu_ms: number | null;
};

/** How often a user does something on a working day, and which part of that falls into the busiest hour. */
type Habit = { operation: string; perDay: number; inPeakHour: number };

/**
 * A client program that is open for eight hours and reads the list of services every five minutes; most people come
 * within one hour. Cached lists are fresh for 15 s by default, so each of these reads calls the dispatchers.
 */
const habitsWith = (lists: ListOperation): readonly Habit[] => [
  { operation: 'domain list', perDay: 1, inPeakHour: 0.6 },
  { operation: 'login', perDay: 1, inPeakHour: 0.6 },
  { operation: 'userinfo', perDay: 2, inPeakHour: 0.5 },
  { operation: lists, perDay: 96, inPeakHour: 0.125 },
  { operation: 'connectionInfo, one call', perDay: 3, inPeakHour: 0.4 },
];

/** Milliseconds between a function and its database in one region. */
const distanceMs = 2;
/** Share of a connection or core that may be used on average, so that queues stay short. */
const utilization = 0.5;

/** The cost of reading a list of services: expired by default, or fresh with a longer `aggregator.services_fresh_s`. */
type ListOperation = typeof expiredList | typeof unchangedList;

/** What an installation needs in its busiest hour. CPU is in cores at full use. */
export type Load = {
  users: number;
  lists: ListOperation;
  requests_per_s: number;
  logins_per_s: number;
  portal_cores: number;
  /** Of the cores of the portal: password hashes. */
  hashing_cores: number;
  database_cores: number;
  /** Database connections that are in use on average, by the share that may be. */
  connections: number;
  network_mbit_per_s: number;
  wal_mb_per_s: number;
  wal_gb_per_day: number;
};

export const loads = (costs: readonly OperationCost[], users: readonly number[]): Load[] =>
  ([expiredList, unchangedList] as const).flatMap((lists) =>
    users.map((count) => loadOf(costs, count, lists)),
  );

function loadOf(costs: readonly OperationCost[], users: number, lists: ListOperation): Load {
  const used = habitsWith(lists).map(({ operation, perDay, inPeakHour }) => {
    const cost = costs.find(({ name }) => name === operation);
    if (!cost) throw new Error(`the cost of ${operation} was not measured`);
    return { operation, cost, perDay: perDay * users, perS: (perDay * users * inPeakHour) / 3_600 };
  });
  const sum = (value: (one: (typeof used)[number]) => number): number =>
    used.reduce((total, one) => total + value(one), 0);
  const busyS = ({ cost, perS }: (typeof used)[number]): number =>
    (perS * (cost.trips * distanceMs + (cost.database_cpu_ms ?? Number.NaN))) / 1_000;
  const logins = used.filter(({ operation }) => operation === 'login');
  const cores = (of: typeof used): number =>
    of.reduce((total, { cost, perS }) => total + (perS * (cost.portal_cpu_ms ?? Number.NaN)) / 1_000, 0);
  return {
    ...{ users, lists },
    requests_per_s: rounded(
      sum(({ perS }) => perS),
      0,
    ),
    logins_per_s: rounded(
      logins.reduce((total, { perS }) => total + perS, 0),
      1,
    ),
    portal_cores: rounded(cores(used), 1),
    hashing_cores: rounded(cores(logins), 1),
    database_cores: rounded(
      sum(({ cost, perS }) => (perS * (cost.database_cpu_ms ?? Number.NaN)) / 1_000),
      1,
    ),
    connections: Math.ceil(sum(busyS) / utilization),
    network_mbit_per_s: rounded(
      sum(({ cost, perS }) => (perS * cost.bytes * 8) / 1e6),
      1,
    ),
    wal_mb_per_s: rounded(
      sum(({ cost, perS }) => (perS * cost.wal_bytes) / 1e6),
      2,
    ),
    wal_gb_per_day: rounded(
      sum(({ cost, perDay }) => (perDay * cost.wal_bytes) / 1e9),
      1,
    ),
  };
}
