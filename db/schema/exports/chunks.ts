import { customType, integer, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core';

const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });

/** Exported files where no object store is configured, cut into chunks of one size. */
export const exportedChunks = pgTable(
  'exported_chunks',
  {
    file: uuid().notNull(),
    n: integer().notNull(),
    bytes: bytea().notNull(),
  },
  (t) => [primaryKey({ columns: [t.file, t.n] })],
);
