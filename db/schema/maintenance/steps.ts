import { index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';
import { farms } from '../sites/farms.ts';
import { maintenanceWindows } from './windows.ts';

/** What a window asks of a farm: tell users, set the flag, end sessions, take the flag back. */
export type MaintenancePhase = 'warn' | 'flag' | 'sessions' | 'clear';

/**
 * One thing that a window asks of a farm; `target` is the pool that a warning goes to, else nothing's identifier.
 * Whoever claims it has it until `lease_until`, and then another does it again: flags are set, and sessions ended, at
 * least once, which is the same as once. A warning is shown at most once: it is done with the claim, and given back only
 * when no node can have had it.
 */
export const maintenanceSteps = pgTable(
  'maintenance_steps',
  {
    window_id: uuid()
      .notNull()
      .references(() => maintenanceWindows.id, { onDelete: 'cascade' }),
    farm_id: uuid()
      .notNull()
      .references(() => farms.id, { onDelete: 'cascade' }),
    phase: text().$type<MaintenancePhase>().notNull(),
    target: uuid().notNull(),
    lease_until: moment().notNull(),
    done_at: moment(),
    failures: integer().notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.window_id, t.farm_id, t.phase, t.target] }),
    index('maintenance_steps_farm').on(t.farm_id),
  ],
);
