import type { NodeAvailability } from '../sites/calls/order.ts';

export type Policy = 'priority' | 'round_robin' | 'least_loaded' | 'random';
type Affinity = 'session' | 'last_used' | 'none';

export type MemberFacts = {
  farm_id: string;
  servicepool_uuid: string;
  priority: number;
  enabled: boolean;
  farm: { enabled: boolean; maintenance: boolean; nodes: readonly NodeAvailability[] };
  /** Maintenance of the pool, or of the user's workplace in it. */
  maintenance: boolean;
  /** The dispatcher does not report the state of the pool or of the workplace, or reports an unsupported value. */
  unknown: boolean;
  /** Null if the dispatcher does not report it. */
  usage_percent: number | null;
  /** True if the farm's service list for the caller contains the pool. Null without a fresh list. */
  entitled: boolean | null;
  /** The nodes of the farm refuse the user. */
  refused: boolean;
  /** The caller has a machine there, in use or not. */
  owned: boolean;
  /** The pool had no free machine a few seconds ago. It changes the order only. */
  full: boolean;
};

export type LiveSession = {
  session_uuid: string;
  farm_id: string;
  servicepool_uuid: string;
  state: string;
  started_at: string | null;
};

/**
 * How the last request of a user through a rule ended at its member: a connection was issued, a machine is prepared, or
 * the outcome is not known.
 */
type LastOutcome = 'issued' | 'preparing' | 'outcome_unknown';

/** The facts that decide about one rule for one caller. The order of the lists has no effect. */
export type RoutingFacts = {
  /** `usable`: the rule is assigned to the caller. */
  rule: {
    enabled: boolean;
    usable: boolean;
    policy: Policy;
    failover: boolean;
    /** Members without a machine of the caller may be used although another member has one. */
    failover_from_owned: boolean;
    affinity: Affinity;
  };
  site: { enabled: boolean; maintenance: boolean };
  members: readonly MemberFacts[];
  sessions: readonly LiveSession[];
  /** The last request of the caller through the rule; its age in seconds. */
  issued: (Key & { age_s: number; outcome: LastOutcome }) | null;
  /** The caller's priority groups, one row for each farm. */
  preferences: readonly { priority: number; farm_id: string; farm_priority: number }[];
};

export type Key = Pick<MemberFacts, 'farm_id' | 'servicepool_uuid'>;
export const keyOf = ({ farm_id, servicepool_uuid }: Key): Key => ({ farm_id, servicepool_uuid });
export const keyText = ({ farm_id, servicepool_uuid }: Key): string => `${farm_id}.${servicepool_uuid}`;

export const byKey = (a: Key, b: Key): number => compare(keyText(a), keyText(b));
const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** The caller's sessions on members of the rule: active ones first, then the newest. */
export function sessionsOnMembers({
  members,
  sessions,
}: Pick<RoutingFacts, 'members' | 'sessions'>): LiveSession[] {
  const keys = new Set(members.map(keyText));
  return sessions.filter((session) => keys.has(keyText(session))).sort(byLiveliness);
}

export const hasSessionAt = ({ sessions }: Pick<RoutingFacts, 'sessions'>, at: Key): boolean =>
  sessions.some((session) => keyText(session) === keyText(at));

const byLiveliness = (a: LiveSession, b: LiveSession): number =>
  Number(b.state === 'active') - Number(a.state === 'active') ||
  compare(b.started_at ?? '', a.started_at ?? '') ||
  byKey(a, b) ||
  compare(a.session_uuid, b.session_uuid);

/** Seconds during which the snapshot may not yet contain the session of an issued connection. */
const unseenS = 120;

/** Seconds since a connection was issued. */
export const ageOf = ({ at }: { at: string }, now: Date): number => (now.getTime() - Date.parse(at)) / 1000;

/** True if the snapshot may not yet contain the session of a connection of this age in seconds. */
export const isUnseen = (ageS: number): boolean => ageS <= unseenS;
