import type { RuleRow } from '../../db/repositories/routing/facts.ts';
import { AppError, notFound } from '../kernel/errors.ts';
import type { Call } from '../remotes/dispatcher/port.ts';
import { callFarm, tryAgain } from '../sites/calls/farm-calls.ts';
import { isCut } from '../sites/farm-status.ts';
import type { UserCtx, UserFarm } from '../sites/user-site.ts';
import { keyText, type LiveSession, type RoutingFacts } from './facts.ts';
import {
  isMaintenance,
  maintenanceRefusal,
  noticeOf,
  noticeOfRoute,
  unknownRefusal,
} from './maintenance-notices.ts';
import type { Chance } from './order.ts';
import { isMaintenanceReason, unknownReason } from './readiness.ts';
import type { RoutedSite } from './routed-site.ts';
import { type Candidate, type Route, route } from './routing.ts';
import { factsOf } from './rule-facts.ts';
import { keptLists } from './service-list-cache.ts';

/** What a rule may take altogether, in time-outs of one call: both nodes of a farm that hangs, and one of the next. */
const longestCalls = 3;

export type RuleAnswer<T> = { value: T; farm: UserFarm; candidate: Candidate; routed: Route };

type ReportedSession = Omit<LiveSession, 'started_at'>;

/**
 * Calls the farm to which the rule leads; the next one when no node of it could answer, if the rule fails over. A
 * dispatcher that does not know the pool for the caller has decided that it is none of his, which is no failure.
 * @throws AppError of the last farm; without a candidate see `refusalOf`
 */
export async function callThroughRule<T>(
  ctx: UserCtx,
  site: RoutedSite,
  rule: RuleRow,
  chance: Chance,
  call: (call: Call, pool: string) => Promise<T>,
): Promise<RuleAnswer<T>> {
  let facts = factsFor(ctx, site, rule);
  for (const farm of site.farms.filter(isCut)) tryAgain(ctx, farm);
  const failed = new Map<string, unknown>();
  const signal = AbortSignal.timeout(longestCalls * ctx.parameters['aggregator.call_timeout_ms']);
  for (;;) {
    const routed = route(facts, chance);
    const candidate = routed.candidates.find((one) => !failed.has(keyText(one)));
    const farm = candidate && site.farms.find(({ id }) => id === candidate.farm_id);
    if (!candidate || !farm || signal.aborted)
      throw [...failed.values()].at(-1) ?? refusalOf(routed, noticeOfRoute(site, routed));
    const { servicepool_uuid: pool } = candidate;
    try {
      const value = await callFarm(ctx, site, farm, site.speaker, (one) => call(one, pool), signal);
      return { value, farm, candidate, routed };
    } catch (error) {
      if (judged(error) === 'refusal') facts = withoutRight(facts, candidate);
      else failed.set(keyText(candidate), told(error, noticeOf(site, farm.id, pool)));
    }
  }
}

/** @throws what is neither the dispatcher's refusal nor a failure to answer: that is the answer */
function judged(error: unknown): 'refusal' | 'failure' {
  const code = error instanceof AppError ? error.code : 'internal';
  if (code === 'not_found') return 'refusal';
  if (code.startsWith('upstream_') || isMaintenance(error)) return 'failure';
  throw error;
}

const told = (error: unknown, notice: string | undefined): unknown =>
  isMaintenance(error) ? maintenanceRefusal(notice) : error;

/** How the rule would lead now; nobody is asked. */
export const routeOf = (ctx: UserCtx, site: RoutedSite, rule: RuleRow, chance: Chance): Route =>
  route(factsFor(ctx, site, rule), chance);

/** Why there is no candidate: somebody can do something about a dead farm; maintenance passes; else it is not his. */
export function refusalOf({ explain }: Pick<Route, 'explain'>, notice?: string): AppError {
  const isAny = (...steps: string[]) => explain.some(({ step }) => steps.includes(step));
  if (isAny('node')) return new AppError('upstream_unavailable', 'No farm of the service is reachable');
  if (explain.some(isMaintenanceReason)) return maintenanceRefusal(notice);
  return explain.some(({ reason }) => reason === unknownReason) ? unknownRefusal() : notFound();
}

/** The member of an answer that reports several live sessions; none when there is one at most. */
export function conflictOf({ conflict: sessions }: Pick<Route, 'conflict'>): {
  conflict?: ReportedSession[];
} {
  if (!sessions) return {};
  return { conflict: sessions.map(({ started_at: _, ...session }) => session) };
}

const factsFor = (ctx: UserCtx, site: RoutedSite, rule: RuleRow): RoutingFacts =>
  factsOf(site, rule, keptLists(site, ctx.parameters, ctx.now), ctx.now);

const withoutRight = (facts: RoutingFacts, refused: Candidate): RoutingFacts => ({
  ...facts,
  members: facts.members.map((member) =>
    keyText(member) === keyText(refused) ? { ...member, entitled: false } : member,
  ),
});
