import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { type Capability, capabilitiesOf } from '../../../../shared/remotes/dispatcher/capabilities.ts';
import { derived } from '../../records/statements.ts';

const table = JSON.stringify(capabilitiesOf);

/** What dispatchers of the kind can do; empty for a kind that does not exist, and for null. */
export const capabilitiesOfKind = (kind: PgColumn | SQL) =>
  derived<Capability[]>(sql`select coalesce(${table}::jsonb -> ${kind}, '[]'::jsonb)`);
