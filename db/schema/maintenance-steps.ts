import { index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';
import { farms } from './farms.ts';
import { maintenanceWindows } from './maintenance-windows.ts';

/** What a window asks of a farm: tell users, set the flag, end sessions, take the flag back. */
export type MaintenancePhase = 'warn' | 'flag' | 'sessions' | 'clear';

/**
 * One call of a farm for a window; `target` is the pool that a warning goes to, else nothing's identifier. Whoever
 * claims it has it until `lease_until`.
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
  },
  (t) => [
    primaryKey({ columns: [t.window_id, t.farm_id, t.phase, t.target] }),
    index('maintenance_steps_farm').on(t.farm_id),
  ],
);
