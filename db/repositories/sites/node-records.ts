import type { MonitoringEntry } from '../monitoring/records.ts';

type NodeStatus = { status: 'pass' | 'fail' | 'unauthorized'; last_error: string | null };

/**
 * The monitoring record for a dispatcher node that begins to fail, or recovers.
 * @param seen `last_error` is our error code, never text from the node
 */
export function nodeRecord(node: { id: string; name: string }, seen: NodeStatus, at: Date): MonitoringEntry {
  const object = { source: 'dispatcher', object_type: 'dispatcher', object_id: node.id } as const;
  const common = { ...object, object_name: node.name, at, details: { ...seen } };
  if (seen.status === 'pass')
    return {
      ...common,
      level: 'info',
      code: 'dispatcher_pass',
      message: `Dispatcher ${node.name} has recovered`,
    };
  const message = `Dispatcher ${node.name} fails: ${explained(seen.last_error ?? seen.status)}`;
  return { ...common, level: 'error', code: 'dispatcher_fail', message };
}

/** Explanations for reasons that an operator can act on. */
const words: Readonly<Record<string, string>> = {
  timeout: 'it does not respond in time',
  unreachable: 'it is unreachable',
  server_error: 'it returned a server error',
  unauthorized: 'it does not accept the session key of the portal',
  forbidden: 'it denies access to the portal',
  address_not_allowed: 'its address is not in an allowed network',
  health_key_unreadable: 'its health check key cannot be decrypted with the configured keys',
  expired: 'its certificate has expired',
  not_yet_valid: 'its certificate is not valid yet',
  wrong_name: 'its certificate is for another name',
  self_signed: 'its certificate is self-signed',
  unknown_ca: 'its certificate is issued by an untrusted authority',
};

/** The explanation followed by the code; only the code if there is no explanation. */
function explained(code: string): string {
  const word = words[code.replace(/^[^:]*:|^upstream_/, '')];
  return word === undefined ? code : `${word} (${code})`;
}

/** The monitoring record for a circuit breaker that opens or closes. */
export function circuitRecord(
  node: { id: string; name: string },
  circuit: 'open' | 'closed',
  at: Date,
): MonitoringEntry {
  const object = { source: 'dispatcher', object_type: 'dispatcher', object_id: node.id } as const;
  const common = { ...object, object_name: node.name, at, details: { circuit } };
  if (circuit === 'closed')
    return {
      ...common,
      level: 'info',
      code: 'circuit_closed',
      message: `The circuit breaker of dispatcher ${node.name} is closed: calls are allowed again`,
    };
  const message = `The circuit breaker of dispatcher ${node.name} is open after repeated failures: calls are blocked`;
  return { ...common, level: 'error', code: 'circuit_open', message };
}

const accountMessages = {
  refused:
    'rejects the account of the portal. It is tried again every 15 minutes, because the node may block the portal',
  paused: 'has rejected several accounts. The account of the portal is not tried for up to 10 minutes',
};

/** The monitoring record for an account of the portal that a node rejects, or that is not tried. */
export function accountRecord(
  node: { id: string; name: string },
  outcome: 'refused' | 'paused',
  at: Date,
): MonitoringEntry {
  return {
    ...{ source: 'dispatcher', object_type: 'dispatcher', object_id: node.id, object_name: node.name, at },
    ...{ level: 'error', code: `dispatcher_account_${outcome}`, details: {} },
    message: `Dispatcher ${node.name} ${accountMessages[outcome]}`,
  };
}
