import { index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';
import { farms } from '../sites/farms.ts';
import { maintenanceWindows } from './windows.ts';

/** Phases of a window for a farm: warn users, set the flag, end sessions, clear the flag. */
export type MaintenancePhase = 'warn' | 'flag' | 'sessions' | 'clear';

/**
 * One step of a window for a farm. `target` is the pool of a warning, otherwise the nil UUID. A step is leased until
 * `lease_until`, after which another process repeats it: setting flags and ending sessions is idempotent. A warning
 * is shown at most once: it counts as done when it is claimed, and is released only if no node can have received it.
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
