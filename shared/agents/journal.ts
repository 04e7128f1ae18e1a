import type { MonitoringEntry } from '../../db/repositories/monitoring/records.ts';
import { escapeControls, startOf } from '../kernel/text.ts';
import type { Agent } from './credentials.ts';

type JournalFields = Pick<MonitoringEntry, 'message'> & {
  code: `agent_${string}` | `session_${string}`;
  level?: MonitoringEntry['level'];
  at?: Date;
  details?: Record<string, unknown>;
};

/** Maximum characters of a message in the journal. */
const longest = 4096;

/**
 * The journal record of an agent report. Its object is the farm, so that administrators with access to the workplace
 * can see it.
 */
export const journalEntry = (
  { farm, workplace }: Pick<Agent, 'farm' | 'workplace'>,
  now: Date,
  { code, message, level = 'info', at = now, details = {} }: JournalFields,
): MonitoringEntry => ({
  at,
  level,
  source: 'farm',
  object_type: 'farm',
  object_id: farm.id,
  object_name: farm.name,
  code,
  message: startOf(escapeControls(message), longest),
  details: { workplace_uuid: workplace.uuid, workplace_name: workplace.name, ...details },
});
