import { filledPath, type Sending, sendRequest } from '../../../../../shared/web/client/request.ts';
import { refusalText } from '../../../../../shared/web/problems/problem-texts.ts';
import type { Values } from '../../records/form/form-values.ts';
import type { Kind } from '../../records/kinds.ts';
import { say } from '../../texts.ts';
import { entered, type FleetAction, type Target } from './fleet-actions.ts';
import { type Job, type Outcome, type Outcomes, sameFor } from './run-jobs.ts';

/** Milliseconds in which a dispatcher answers, also if a node hangs first. */
const limitMs = 60_000;

export type Ordered = {
  action: FleetAction;
  values: Values;
  /** Keys of the records whose users may be interrupted. */
  forced: ReadonlySet<string>;
};

/** The requests of an action, each with the records that it is for. */
export type Order = { targets: Target[]; sending: Sending };

export function ordersOf(kind: Kind, targets: readonly Target[], ordered: Ordered): Order[] {
  const { action, values, forced } = ordered;
  if (action.isJoined)
    return joinedOf(kind, targets).map((together) => ({
      targets: together,
      sending: messageTo(kind, together, ordered),
    }));
  return targets.map((target) => {
    const isForced = action.force !== undefined && forced.has(target.key);
    const body = action.bodyOf?.(values, target) ?? (action.fields ? entered(values) : undefined);
    const forcedBody = isForced && action.force === 'body' ? { ...body, force: true } : body;
    const sending: Sending = {
      method: action.verb.method,
      path: filledPath(action.verb.path, pathOf(kind, target)),
      ...(forcedBody && { body: forcedBody }),
      ...(isForced && action.force === 'query' && { query: { force: 'true' } }),
    };
    return { targets: [target], sending };
  });
}

/** A record whose dispatcher does not report its pool has no address. It stays in the list of failures. */
const noPool = '-';

const poolOf = ({ type }: Kind, { uuid, row }: Target): string =>
  type === 'servicespool' ? uuid : String(row.servicepool_uuid ?? noPool);

/** Operations name the parameters of their paths in different ways. */
function pathOf(kind: Kind, target: Target): Record<string, string> {
  const pool = poolOf(kind, target);
  return {
    ...{ id: target.farm_id, servicepool_uuid: pool, servicespool_uuid: pool },
    ...{ workplace_uuid: target.uuid, session_uuid: target.uuid },
  };
}

function joinedOf(kind: Kind, targets: readonly Target[]): Target[][] {
  const groups = Map.groupBy(targets, (target) => `${target.farm_id} ${poolOf(kind, target)}`);
  return [...groups.values()];
}

const workplaceOf = ({ type }: Kind, { uuid, row }: Target): string =>
  type === 'spsession' ? String(row.workplace_uuid) : uuid;

function messageTo(kind: Kind, targets: readonly Target[], { action, values }: Ordered): Sending {
  const [first] = targets;
  if (!first) throw new Error('a message to no one');
  const to =
    kind.type === 'servicespool'
      ? { all: true }
      : { workplaces: [...new Set(targets.map((target) => workplaceOf(kind, target)))] };
  const path = filledPath(action.verb.path, pathOf(kind, first));
  return { method: action.verb.method, path, body: { ...entered(values), ...to } };
}

export const jobsOf = (kind: Kind, orders: readonly Order[]): Job[] =>
  orders.map(({ targets, sending }) => ({
    keys: targets.map(({ key }) => key),
    send: async () => {
      const { body } = await sendRequest({ ...sending, signal: AbortSignal.timeout(limitMs) });
      return outcomesIn(kind, targets, body);
    },
  }));

/** As the API answers to messages. */
type Delivery = { delivered: string[]; failed: { workplace_uuid: string; code: string }[] };

const isDelivery = (body: unknown): body is Delivery =>
  typeof body === 'object' && body !== null && 'delivered' in body && 'failed' in body;

function outcomesIn(kind: Kind, targets: readonly Target[], body: unknown): Outcomes {
  if (!isDelivery(body))
    return sameFor(
      targets.map(({ key }) => key),
      {},
    );
  const { delivered, failed } = body;
  if (kind.type === 'servicespool') {
    const note = say('fleet_delivered', { count: delivered.length, failed: failed.length });
    return sameFor(
      targets.map(({ key }) => key),
      { note },
    );
  }
  const codes = new Map(failed.map(({ workplace_uuid, code }) => [workplace_uuid, code]));
  return new Map(targets.map((target) => [target.key, deliveryOf(codes.get(workplaceOf(kind, target)))]));
}

function deliveryOf(code: string | undefined): Outcome {
  if (code === undefined) return {};
  const detail = code === 'no_session' ? say('fleet_no_session') : refusalText(code);
  return { problem: { code: 'not_delivered', detail } };
}
