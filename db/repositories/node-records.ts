import type { MonitoringEntry } from './monitoring.ts';

type Seen = { status: 'pass' | 'fail' | 'unauthorized'; last_error: string | null };

/**
 * What the monitoring journal says when a dispatcher node begins to fail, or passes again.
 * @param seen `last_error` is our code for it, never what the node said
 */
export function nodeRecord(node: { id: string; name: string }, seen: Seen, at: Date): MonitoringEntry {
  const object = { source: 'dispatcher', object_type: 'dispatcher', object_id: node.id } as const;
  const common = { ...object, object_name: node.name, at, details: { ...seen } };
  if (seen.status === 'pass')
    return {
      ...common,
      level: 'info',
      code: 'dispatcher_pass',
      message: `Dispatcher ${node.name} passes again`,
    };
  const message = `Dispatcher ${node.name} fails: ${seen.last_error ?? seen.status}`;
  return { ...common, level: 'error', code: 'dispatcher_fail', message };
}

/** What the journal says when a node is no longer asked, or is asked again. */
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
      message: `Dispatcher ${node.name} is asked again`,
    };
  const message = `Dispatcher ${node.name} is not asked any more: it failed several times in a row`;
  return { ...common, level: 'error', code: 'circuit_open', message };
}
