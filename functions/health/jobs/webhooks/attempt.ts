import type { Claimed } from '../../../../db/repositories/webhooks/attempts.ts';
import type { Outcome } from '../../../../db/repositories/webhooks/health.ts';
import { visibilityFor } from '../../../../shared/changes/visibility.ts';
import { withQuery } from '../../../../shared/kernel/addresses/secret-query.ts';
import type { Clock } from '../../../../shared/kernel/clock.ts';
import type { Sealer } from '../../../../shared/kernel/crypto/sealing.ts';
import {
  type Transport,
  TransportError,
  type TransportResponse,
} from '../../../../shared/remotes/http/transport.ts';
import { nextDelayMs, retryAfterS } from '../../../../shared/webhooks/delays.ts';
import { testEvent } from '../../../../shared/webhooks/event-types.ts';
import { signedHeaders } from '../../../../shared/webhooks/signature.ts';

export type AttemptParts = {
  transport: Pick<Transport, 'send'>;
  sealer: Pick<Sealer, 'open'>;
  clock: Clock;
  random: () => number;
};

/** Time limit of an attempt in milliseconds, from name resolution to the end of the response. */
const limitMs = 10_000;
/** Maximum size of a response in bytes; its content is discarded. */
const mostBytes = 65_536;

/** `isGone`: the receiver does not want any further event. */
export type AttemptResult = Outcome & { isGone?: true };

/**
 * Sends an event once, unless the owner may not read the object.
 * @throws the reason of the signal if it aborts
 */
export async function attempt(
  parts: AttemptParts,
  claimed: Claimed,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const startedAt = performance.now();
  const took = () => Math.round(performance.now() - startedAt);
  if (!mayReceive(claimed)) return { state: 'skipped', status: null, error: 'not_allowed', duration_ms: 0 };
  try {
    return { ...resultOf(await send(parts, claimed, signal), claimed, parts), duration_ms: took() };
  } catch (error) {
    signal.throwIfAborted();
    const reason = reasonOf(error);
    return { ...failed(claimed, parts, undefined), status: null, error: reason, duration_ms: took() };
  }
}

/** The secret or the query of the webhook was sealed with a `SECRET_KEY` that is lost. */
class SecretLost extends Error {}

const lost = (cause: unknown): never => {
  throw new SecretLost('a secret of a webhook cannot be opened', { cause });
};

function reasonOf(error: unknown): string {
  if (error instanceof TransportError) return error.tlsReason ?? error.reason;
  return error instanceof SecretLost ? 'secret_lost' : 'internal';
}

/** The rights of the owner are those at this moment. Test events contain nothing. */
function mayReceive({ event, kind, list, sites, roles }: Claimed): boolean {
  if (event === testEvent) return true;
  const change = list === '' ? { kind, list: undefined, sites } : { kind: 'snapshot', list, sites };
  if (visibilityFor({ portal: 'admin', roles })(change)) return true;
  return kind === 'monitoring_record' && sites !== null && isPlaced(roles, sites);
}

/** A record about an object of a site is visible with the permission for that site. */
const isPlaced = (roles: Claimed['roles'], sites: readonly string[]): boolean =>
  roles.some(
    ({ permissions, scope }) =>
      permissions.includes('monitoring.read') &&
      scope.sites !== '*' &&
      sites.some((site) => scope.sites.includes(site)),
  );

async function send(
  { transport, sealer, clock }: AttemptParts,
  claimed: Claimed,
  signal: AbortSignal,
): Promise<TransportResponse> {
  const { webhook, query, secret, former_secret } = claimed;
  const row = webhook.id;
  if (secret === null) throw new SecretLost();
  const secrets = [
    await sealer.open(secret, { table: 'webhooks', row, column: 'sealed_secret' }),
    ...(former_secret === null
      ? []
      : [await sealer.open(former_secret, { table: 'webhooks', row, column: 'sealed_former_secret' })]),
  ];
  const body = JSON.stringify(payloadOf(claimed));
  return transport.send({
    method: 'POST',
    url:
      query === null
        ? webhook.url
        : withQuery(
            webhook.url,
            await sealer.open(query, { table: 'webhooks', row, column: 'sealed_query' }).catch(lost),
          ),
    headers: {
      'content-type': 'application/json',
      'user-agent': 'aggregator-portal',
      ...signedHeaders({ id: `msg_${claimed.id}`, at: clock(), body }, secrets),
    },
    body,
    deadlineMs: limitMs,
    maxBytes: mostBytes,
    ca: webhook.ca ?? undefined,
    verifyTls: true,
    signal,
  });
}

/** Kinds and identifiers only. The receiver reads the object with rights of its own. */
function payloadOf({ event, kind, list, object_id, sites, occurred_at }: Claimed): object {
  const id = object_id === '' ? null : object_id;
  const object = list === '' ? { kind, id } : { kind, id: null, farm_id: id };
  return {
    type: event,
    timestamp: new Date(occurred_at).toISOString(),
    data: { ...object, ...(sites !== null && { sites }) },
  };
}

type Decided = Omit<AttemptResult, 'duration_ms'>;

function resultOf({ status, headers }: TransportResponse, claimed: Claimed, parts: AttemptParts): Decided {
  if (status >= 200 && status < 300) return { state: 'delivered', status, error: null };
  if (status === 410) return { state: 'dead', status, error: null, isGone: true };
  const isBusy = status === 429 || status === 503;
  const asked = isBusy ? retryAfterS(headers['retry-after'], parts.clock()) : undefined;
  return { ...failed(claimed, parts, asked), status, error: null };
}

function failed(
  { attempts }: Claimed,
  { random }: AttemptParts,
  askedS: number | undefined,
): Pick<Outcome, 'state' | 'delay_ms' | 'pause_ms'> {
  const delay_ms = nextDelayMs(attempts, askedS, random());
  if (delay_ms === undefined) return { state: 'dead' };
  return { state: 'waiting', delay_ms, ...(askedS !== undefined && { pause_ms: pauseMs(askedS) }) };
}

/** All deliveries of the webhook wait as long as the receiver asks for, within the bound of a delay. */
const pauseMs = (askedS: number): number => Math.min(askedS, 3_600) * 1_000;
