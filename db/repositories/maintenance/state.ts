import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { maintenanceTemplates as templates } from '../../schema/maintenance/templates.ts';
import { derived } from '../records/statements.ts';

/** A farm or a site. `maintenance` is true while a maintenance is ordered; the template defines its times. */
type Flagged = { maintenance: PgColumn; maintenance_template_id: PgColumn };

/** True while the maintenance blocks users: with a template between its start and end, if it blocks new sessions. */
export const isInMaintenance = ({ maintenance, maintenance_template_id }: Flagged): SQL<boolean> =>
  derived(sql`select ${maintenance} and coalesce((
    select ${templates.block_new_sessions} and coalesce(${templates.start_at} <= now(), true)
      and coalesce(${templates.end_at} > now(), true)
    from ${templates} where ${templates.id} = ${maintenance_template_id}), true)`);

/** The message for users; null without a template. */
export const maintenanceMessage = ({
  maintenance_template_id,
}: Pick<Flagged, 'maintenance_template_id'>): SQL<string | null> =>
  derived(
    sql`select ${templates.message} from ${templates} where ${templates.id} = ${maintenance_template_id}`,
  );
