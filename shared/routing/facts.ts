import type { NodeState } from '../sites/node-state.ts';

export type Policy = 'priority' | 'round_robin' | 'least_loaded' | 'random';
export type Affinity = 'session' | 'last_used' | 'none';

export type MemberFacts = {
  farm_id: string;
  servicepool_uuid: string;
  priority: number;
  enabled: boolean;
  farm: { enabled: boolean; maintenance: boolean; nodes: readonly NodeState[] };
  /** Of the pool itself, or of the workplace of the user in it. */
  maintenance: boolean;
  /** The dispatcher does not report the state of either, or not in a word that we know. */
  unknown: boolean;
  /** Null when nobody has told it. */
  usage_percent: number | null;
  /** What the farm's own list says of the caller; null when there is no fresh one. */
  entitled: boolean | null;
};

export type LiveSession = {
  session_uuid: string;
  farm_id: string;
  servicepool_uuid: string;
  state: string;
  started_at: string | null;
};

/** All that counts for one rule and one caller; the order of the lists does not. */
export type RoutingFacts = {
  /** `usable`: the caller is one of those whom the rule is for. */
  rule: { enabled: boolean; usable: boolean; policy: Policy; failover: boolean; affinity: Affinity };
  site: { enabled: boolean; maintenance: boolean };
  members: readonly MemberFacts[];
  sessions: readonly LiveSession[];
  /** The last connection issued to the caller through the rule; its age in seconds. */
  issued: (Key & { age_s: number }) | null;
  /** The caller's priority groups, a row a farm. */
  preferences: readonly { priority: number; farm_id: string; farm_priority: number }[];
};

/** The caller's sessions on members of the rule: active ones first, then the newest. */
export function sessionsOnMembers({ members, sessions }: RoutingFacts): LiveSession[] {
  const keys = new Set(members.map(keyText));
  return sessions.filter((session) => keys.has(keyText(session))).sort(byLiveliness);
}

export type Key = Pick<MemberFacts, 'farm_id' | 'servicepool_uuid'>;
export const keyOf = ({ farm_id, servicepool_uuid }: Key): Key => ({ farm_id, servicepool_uuid });
export const keyText = ({ farm_id, servicepool_uuid }: Key): string => `${farm_id}.${servicepool_uuid}`;

export const byKey = (a: Key, b: Key): number => compare(keyText(a), keyText(b));
const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

const byLiveliness = (a: LiveSession, b: LiveSession): number =>
  Number(b.state === 'active') - Number(a.state === 'active') ||
  compare(b.started_at ?? '', a.started_at ?? '') ||
  byKey(a, b) ||
  compare(a.session_uuid, b.session_uuid);
