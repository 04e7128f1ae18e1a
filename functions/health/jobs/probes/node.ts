import { nodeRecord } from '../../../../db/repositories/sites/node-records.ts';
import type { ProbeOutcome, ProbeTarget } from '../../../../db/repositories/sites/probes.ts';
import type { Clock } from '../../../../shared/kernel/clock.ts';
import type { Sealer } from '../../../../shared/kernel/crypto/sealing.ts';
import { AppError } from '../../../../shared/kernel/errors.ts';
import { newId } from '../../../../shared/kernel/ids.ts';
import type { Log } from '../../../../shared/kernel/observability/log.ts';
import type { Parameters } from '../../../../shared/kernel/system-parameters.ts';
import { isCapable } from '../../../../shared/remotes/dispatcher/capabilities.ts';
import { isUnauthorized } from '../../../../shared/remotes/dispatcher/failures.ts';
import type { DispatcherRemote, Node } from '../../../../shared/remotes/dispatcher/port.ts';
import { aggregator, nodeOf } from '../../../../shared/sites/calls/dispatcher-keys.ts';

export type ProbeDeps = {
  remote: DispatcherRemote;
  /** Decrypts the `health_key` of dispatchers. */
  sealer: Sealer;
  clock: Clock;
  log: Log;
};

/** Total time limit of one probe, including all its calls. `signal` aborts it early. */
export type ProbeLimits = { limitMs: number; signal: AbortSignal };

/** Extra time for reading the certificate after the response of the node; it uses a separate connection. */
const certificateMs = 1_000;

type ProbeResult = Pick<ProbeOutcome, 'status' | 'last_error' | 'response_time_ms' | 'version' | 'domains'>;
type Probe = ProbeLimits & { deps: ProbeDeps; parameters: Parameters; target: ProbeTarget; node: Node };

/**
 * Checks the state of one node and reads its certificate in parallel. A failure is an outcome: the promise never
 * rejects.
 */
export async function probeNode(
  deps: ProbeDeps,
  parameters: Parameters,
  target: ProbeTarget,
  limits: ProbeLimits,
): Promise<ProbeOutcome> {
  const probe = { ...limits, deps, parameters, target, node: nodeOf(target) };
  const certificate = readCertificate(probe);
  const result = await runProbe(probe);
  // A node that does not respond presents no certificate either.
  const graceMs = result.last_error === 'upstream_timeout' ? 0 : certificateMs;
  const record = nodeRecord(target, result, deps.clock());
  return {
    id: target.id,
    revision: target.revision,
    ...result,
    certificate: await certificate.within(graceMs),
    record,
  };
}

async function runProbe(probe: Probe): Promise<ProbeResult> {
  try {
    const { health_key: sealedKey, kind, id } = probe.target;
    if (sealedKey !== null) return await probeByHealth(probe, await openKey(probe.deps, id, sealedKey));
    // A login with an account counts at the node, so it is not repeated only to learn whether the node responds.
    return await (isCapable(kind, 'health_key') ? probeByDomains(probe) : probeByHealth(probe, ''));
  } catch (error) {
    return failed(probe, error);
  }
}

async function probeByHealth(
  { deps, node, limitMs, signal }: Probe,
  healthKey: string,
): Promise<ProbeResult> {
  const startedAt = performance.now();
  const trace = { requestId: newId() };
  const { status, version } = await deps.remote.health({
    node,
    healthKey,
    trace,
    deadlineMs: limitMs,
    signal,
  });
  const response_time_ms = Math.round(performance.now() - startedAt);
  const last_error = status === 'pass' ? null : 'reported_fail';
  return { status, last_error, response_time_ms, version: version ?? null, domains: null };
}

/** Without a key for the health check, a node is healthy if it accepts the portal and returns its domains. */
async function probeByDomains({ deps, parameters, node, limitMs, signal }: Probe): Promise<ProbeResult> {
  const trace = { requestId: newId() };
  const life = { now: deps.clock(), lifeS: parameters['aggregator.access_token_ttl_s'] };
  const startedAt = performance.now();
  const endsAt = startedAt + Math.min(limitMs, node.timeoutMs);
  const to = { node, trace, deadlineMs: limitMs, signal };
  const { token: key } = await deps.remote.authorize({
    ...{ ...to, ...life, principal: aggregator },
  });
  const deadlineMs = endsAt - performance.now();
  const domains = await deps.remote.domains({
    ...{ node, key, trace, deadlineMs, signal },
  });
  const response_time_ms = Math.round(performance.now() - startedAt);
  return { status: 'pass', last_error: null, response_time_ms, version: null, domains };
}

async function openKey({ sealer }: ProbeDeps, row: string, sealedKey: string): Promise<string> {
  try {
    return await sealer.open(sealedKey, { table: 'dispatchers', row, column: 'health_key' });
  } catch (cause) {
    throw new AppError('internal', undefined, { reason: 'health_key_unreadable' }, { cause });
  }
}

/**
 * No text of a node is stored: `last_error` consists of an error code and, where there is one, a reason, both defined
 * by the portal.
 */
function failed({ deps, target, signal }: Probe, error: unknown): ProbeResult {
  const { code, members } = error instanceof AppError ? error : new AppError('internal');
  if (code === 'internal' && !signal.aborted)
    deps.log.error('a probe failed unexpectedly', { dispatcher_id: target.id, error });
  const last_error = typeof members.reason === 'string' ? `${code}:${members.reason}` : code;
  const status = isUnauthorized(error) ? 'unauthorized' : 'fail';
  return { status, last_error, response_time_ms: null, version: null, domains: null };
}

type CertificateReading = { within(ms: number): Promise<ProbeOutcome['certificate']> };

/**
 * Starts to read the certificate; `within` stops the read after `ms`. The result is null if the certificate could not
 * be read: the outcome of the probe contains the reason.
 */
function readCertificate({ deps, node, limitMs, signal }: Probe): CertificateReading {
  const late = new AbortController();
  const ending = AbortSignal.any([signal, late.signal]);
  const read = deps.remote.certificate?.({ node, deadlineMs: limitMs, signal: ending });
  const facts = read?.catch(() => null) ?? Promise.resolve(null);
  return {
    within: async (ms) => {
      const timer = setTimeout(() => late.abort(), ms);
      try {
        return await facts;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
