import type { MonitoringEntry } from '../monitoring/records.ts';

/** The journal record for heartbeats that stop or resume. */
export function gatewayRecord(
  gateway: { id: string; name: string },
  status: 'pass' | 'fail',
  at: Date,
): MonitoringEntry {
  const object = { source: 'gateway', object_type: 'gateway', object_id: gateway.id } as const;
  const common = { ...object, object_name: gateway.name, at, details: { status } };
  if (status === 'pass')
    return {
      ...common,
      level: 'info',
      code: 'gateway_pass',
      message: `Gateway ${gateway.name} is online again`,
    };
  const message = `Gateway ${gateway.name} has sent no heartbeat for a minute`;
  return { ...common, level: 'error', code: 'gateway_fail', message };
}
