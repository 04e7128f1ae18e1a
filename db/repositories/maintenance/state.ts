import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { maintenanceTemplates as templates } from '../../schema/maintenance/templates.ts';
import { derived } from '../records/statements.ts';

/** A farm or a site: its flag says that a maintenance is ordered, its template when that counts. */
type Flagged = { maintenance: PgColumn; maintenance_template_id: PgColumn };

/** True while the maintenance keeps users out: with a template from its start to its end, if it blocks at all. */
export const isInMaintenance = ({ maintenance, maintenance_template_id }: Flagged): SQL<boolean> =>
  derived(sql`select ${maintenance} and coalesce((
    select ${templates.block_new_sessions} and coalesce(${templates.start_at} <= now(), true)
      and coalesce(${templates.end_at} > now(), true)
    from ${templates} where ${templates.id} = ${maintenance_template_id}), true)`);

/** What users are told of it; null when nothing is. */
export const maintenanceMessage = ({
  maintenance_template_id,
}: Pick<Flagged, 'maintenance_template_id'>): SQL<string | null> =>
  derived(
    sql`select ${templates.message} from ${templates} where ${templates.id} = ${maintenance_template_id}`,
  );
