import type { MonitoringEntry } from '../../db/repositories/monitoring/records.ts';
import { escapeControls } from '../kernel/text.ts';
import type { Agent } from './credentials.ts';

type Told = Pick<MonitoringEntry, 'message'> & {
  code: `agent_${string}` | `session_${string}`;
  level?: MonitoringEntry['level'];
  at?: Date;
  details?: Record<string, unknown>;
};

/** Characters of a message in the journal. */
const longest = 4096;

/** What an agent tells, for the journal: of the farm, so that those see it who may see the workplace. */
export const journalEntry = (
  { farm, workplace }: Pick<Agent, 'farm' | 'workplace'>,
  now: Date,
  { code, message, level = 'info', at = now, details = {} }: Told,
): MonitoringEntry => ({
  at,
  level,
  source: 'farm',
  object_type: 'farm',
  object_id: farm.id,
  object_name: farm.name,
  code,
  message: escapeControls(message).slice(0, longest).toWellFormed(),
  details: { workplace_uuid: workplace.uuid, workplace_name: workplace.name, ...details },
});
