import type {
  AgedOutcome,
  ProbeOutcome,
  ProbeTarget,
  SiteFacts,
} from '../../../db/repositories/sites/probes.ts';
import type { ProbeLimits } from '../../../functions/health/jobs/probes/node.ts';
import type { VirtualTime } from '../virtual-time.ts';

/** A node that answers after `latencyMs`, except from `from` to `to`, while it accepts and never answers. */
export type VirtualNode = { id: string; latencyMs: number; hangs: readonly { from: number; to: number }[] };

export const hangsAt = ({ hangs }: VirtualNode, at: number): boolean =>
  hangs.some(({ from, to }) => at >= from && at < to);

/** Nodes, each the only one of its site, and the database rows of the probes. */
export function createVirtualFleet(time: VirtualTime, nodes: readonly VirtualNode[], writeMs = 20) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const rows = new Map<string, { status: ProbeOutcome['status']; checkedAt: number }>();
  const counts = { plans: 0, writes: 0, starts: 0, inFlight: 0, mostInFlight: 0 };
  const target = ({ id }: VirtualNode): ProbeTarget => ({
    ...{ id, revision: 1, status: 'unknown', name: id, url: 'https://node.example', verify_tls: true },
    ...{ kind: 'dispatcher', ca_certificate: null, health_key: null, timeout_ms: 5_000 },
    ...{ account_domain: null, account_name: null, account_password: null },
  });

  /**
   * A request gets no response if it arrives while the node hangs, or if its response would be sent while the node
   * hangs.
   */
  async function probe({ id }: ProbeTarget, { limitMs, signal }: ProbeLimits): Promise<ProbeOutcome> {
    const node = byId.get(id);
    if (!node) throw new Error(`no node ${id}`);
    counts.starts++;
    counts.mostInFlight = Math.max(counts.mostInFlight, ++counts.inFlight);
    const startedAt = time.now();
    const { latencyMs } = node;
    const answersAt = startedAt + latencyMs;
    const isHanging = node.hangs.some(({ from, to }) => answersAt >= from && startedAt < to);
    const passes = !isHanging && latencyMs < limitMs;
    await time.sleep(passes ? latencyMs : limitMs);
    counts.inFlight--;
    if (signal.aborted) throw new Error('aborted');
    return outcomeOf(id, passes ? 'pass' : 'fail');
  }

  return {
    rows,
    counts,
    probe,
    isCurrent: () => false,
    mayWrite: () => true,
    readPlan: async (known: string | undefined) => {
      counts.plans++;
      return { fingerprint: 'one', targets: known === 'one' ? null : nodes.map(target) };
    },
    write: async (outcomes: AgedOutcome[]) => {
      counts.writes++;
      const readAt = time.now();
      await time.sleep(writeMs);
      for (const { id, status, age_ms } of outcomes) rows.set(id, { status, checkedAt: readAt - age_ms });
    },
    /** The site of a node as the health check reads it. */
    factsOf: (id: string): SiteFacts => {
      const row = rows.get(id);
      const common = { uri: id, enabled: true, maintenance: false, nodes: 1 };
      const age = row && (time.now() - row.checkedAt) / 1000;
      return {
        ...common,
        pass_age_s: row?.status === 'pass' ? (age ?? null) : null,
        unprobed_age_s: row ? null : 0,
      };
    },
  };
}

export function outcomeOf(id: string, status: ProbeOutcome['status'], revision = 1): ProbeOutcome {
  const last_error = status === 'pass' ? null : 'upstream_timeout';
  const record = { at: new Date(0), level: 'info', source: 'dispatcher', code: 'none', message: '' } as const;
  const unseen = { response_time_ms: null, version: null, certificate: null, domains: null };
  return { id, revision, status, last_error, ...unseen, record };
}
