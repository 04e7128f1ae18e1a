import { AppError, problemProperties } from '../kernel/errors.ts';
import type { Readiness } from '../remotes/dispatcher/connections.ts';
import { isKeyRefused, outcomeUnknown } from '../remotes/dispatcher/failures.ts';
import type { ObstacleReason } from './readiness.ts';

/**
 * What a rule does after a member gave no connection:
 * `next`: the next candidate is tried, unless failover is off;
 * `remove`: the member is no candidate, also with failover off;
 * `end`: the cause is the answer;
 * `hold`: the cause is the answer, and the same candidate is the first one of the next request.
 */
export type Consequence = 'next' | 'remove' | 'end' | 'hold';

/** `atSession` applies if the user has a live session at the member. */
type Row = { means: Consequence; atSession?: Consequence };

/** The only place that decides what a cause means for a rule. The causes are those of all kinds of dispatchers. */
const table = {
  no_free_workplace: { means: 'next' },
  preparation_failed: { means: 'next' },
  maintenance: { means: 'next' },
  /** Access is closed at this time. */
  closed: { means: 'next' },
  state_unknown: { means: 'next' },
  /** No node of the farm can answer. */
  no_answer: { means: 'next' },
  /** The node refuses the key of the user. A desktop in use is not exchanged for another one because of that. */
  key_refused: { means: 'next', atSession: 'end' },
  not_known_here: { means: 'remove' },
  not_entitled: { means: 'remove' },
  /** The rule, the member, the farm or the site is switched off or is not for the user. */
  not_offered: { means: 'remove' },
  invalid_request: { means: 'end' },
  /** A machine is prepared for the user. */
  preparing: { means: 'hold' },
  /** The request was sent and not answered, so the user may have a machine now. */
  outcome_unknown: { means: 'hold' },
} as const satisfies Record<string, Row>;

export type Cause = keyof typeof table;

export function consequenceOf(cause: Cause, hasSession = false): Consequence {
  const row: Row = table[cause];
  return (hasSession && row.atSession) || row.means;
}

/** Facts that are known without a call. */
const causeOfObstacle = {
  site_disabled: 'not_offered',
  site_maintenance: 'maintenance',
  farm_disabled: 'not_offered',
  farm_maintenance: 'maintenance',
  not_known_here: 'not_known_here',
  not_entitled: 'not_entitled',
  pool_maintenance: 'maintenance',
  state_unknown: 'state_unknown',
  no_node: 'no_answer',
  circuit_open: 'no_answer',
  rule_disabled: 'not_offered',
  rule_not_for_user: 'not_offered',
  member_disabled: 'not_offered',
} as const satisfies Record<ObstacleReason | RuleObstacle, Cause>;
type RuleObstacle = 'rule_disabled' | 'rule_not_for_user' | 'member_disabled';
export type ExclusionReason = keyof typeof causeOfObstacle;

/** True if the obstacle makes the member no candidate at all, so that others are used in its place. */
export const isRemovedBy = (reason: ExclusionReason): boolean =>
  consequenceOf(causeOfObstacle[reason]) === 'remove';

/** Words of dispatchers and of the portal (`reason_code`, `reason`). */
const causeOfWord: Readonly<Record<string, Cause>> = {
  no_free_workplace: 'no_free_workplace',
  preparation_failed: 'preparation_failed',
  maintenance: 'maintenance',
  unavailable: 'closed',
  access_rules: 'closed',
  state_unknown: 'state_unknown',
  protocol_not_offered: 'invalid_request',
  preparing: 'preparing',
};

const wordIn = (word: unknown, otherwise: Cause): Cause =>
  (typeof word === 'string' && Object.hasOwn(causeOfWord, word) && causeOfWord[word]) || otherwise;

/** @returns undefined for a fault of the portal, which says nothing about the member */
export function causeOfError(error: unknown): Cause | undefined {
  if (!(error instanceof AppError)) return undefined;
  const { code, members } = error;
  switch (code) {
    case 'not_found':
      return 'not_entitled';
    case 'not_known_here':
      return 'not_known_here';
    case 'service_in_preparation':
      return wordIn(members.reason_code, 'preparing');
    case 'invalid_state':
      return wordIn(members.reason, 'invalid_request');
    case 'upstream_refused':
      return isKeyRefused(error) ? 'key_refused' : 'no_answer';
    case 'upstream_unavailable':
      return members.reason === outcomeUnknown ? 'outcome_unknown' : 'no_answer';
    default:
      if (code.startsWith('upstream_')) return 'no_answer';
      return problemProperties(code).status < 500 ? 'invalid_request' : undefined;
  }
}

/** @returns undefined if the user can connect */
export function causeOfReadiness({
  verdict,
  reason_code,
}: Pick<Readiness, 'verdict' | 'reason_code'>): Cause | undefined {
  if (verdict === 'connect') return undefined;
  return wordIn(reason_code, verdict === 'wait' ? 'preparing' : 'invalid_request');
}
