import { and, asc, eq, gte, inArray, sql } from 'drizzle-orm';
import { createCutter } from '../../../shared/kernel/cutter.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import type { ObjectPart, ObjectReader, ObjectStore } from '../../../shared/kernel/object-store.ts';
import type { Db } from '../../client.ts';
import { exportedChunks as table } from '../../schema/exports/chunks.ts';
import { exportedFiles } from '../../schema/exports/files.ts';

/** Bytes of every chunk but the last. */
const chunkBytes = 262_144;
/** Chunks of one statement. */
const chunksAtOnce = 4;

/** Files in the database: the object store of installations that configure none. */
export const createChunkStore = (db: Db): ObjectStore => ({
  ...createChunkReader(db),
  name: 'database',
  begin: async (file) => {
    let n = 0;
    const cutter = createCutter(chunkBytes, (piece) => writeChunk(db, file, n++, piece));
    return { append: cutter.add, finish: cutter.flush };
  },
  remove: (file) => removeChunks(db, file),
});

/** Files in the database, for whoever only reads them. */
export const createChunkReader = (db: Db): ObjectReader => ({ read: async (part) => chunksOf(db, part) });

/** @throws AppError `expired` unless the attempt that writes this file is still the one that counts */
async function writeChunk(db: Db, file: string, n: number, bytes: Uint8Array): Promise<void> {
  // The lock makes a new attempt wait, which then deletes this chunk as well.
  const written = await db
    .insert(table)
    .select(
      sql`select ${exportedFiles.file}, ${n}::int, ${sql.param(bytes, table.bytes)}::bytea from ${exportedFiles}
        where ${exportedFiles.file} = ${file}::uuid for share`,
    )
    .returning({ n: table.n });
  if (written.length === 0) throw new AppError('expired');
}

function chunksOf(db: Db, { file, offset, bytes }: ObjectPart): ReadableStream<Uint8Array> {
  let at = offset;
  return new ReadableStream(
    {
      pull: async (controller) => {
        if (at >= bytes) return controller.close();
        const first = Math.floor(at / chunkBytes);
        const chunks = await readChunks(db, file, first);
        // Deleted meanwhile, in whatever order: whoever reads must not take what he has for the whole.
        if (chunks.length === 0 || chunks.some(({ n }, place) => n !== first + place))
          return controller.error(new AppError('expired'));
        for (const chunk of chunks) {
          const piece = chunk.bytes.subarray(at % chunkBytes);
          at += piece.length;
          controller.enqueue(piece);
        }
      },
    },
    { highWaterMark: 0 },
  );
}

const readChunks = (db: Db, file: string, from: number) =>
  db
    .select({ n: table.n, bytes: table.bytes })
    .from(table)
    .where(and(eq(table.file, file), gte(table.n, from)))
    .orderBy(asc(table.n))
    .limit(chunksAtOnce);

/** A bounded statement after the other: none holds its locks for long. */
async function removeChunks(db: Db, file: string): Promise<void> {
  const some = db.select({ n: table.n }).from(table).where(eq(table.file, file)).limit(200);
  for (let last = 200; last === 200; ) {
    const removed = await db
      .delete(table)
      .where(and(eq(table.file, file), inArray(table.n, some)))
      .returning({ n: table.n });
    last = removed.length;
  }
}
