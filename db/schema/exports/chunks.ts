import { customType, integer, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core';

const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });

/** Content of exported files without an object store, in chunks of equal size. */
export const exportedChunks = pgTable(
  'exported_chunks',
  {
    file: uuid().notNull(),
    n: integer().notNull(),
    bytes: bytea().notNull(),
  },
  (t) => [primaryKey({ columns: [t.file, t.n] })],
);
