import { and, asc, eq, gte, inArray, sql } from 'drizzle-orm';
import { createChunker } from '../../../shared/kernel/chunker.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import type { ObjectPart, ObjectReader, ObjectStore } from '../../../shared/kernel/object-store.ts';
import type { Db } from '../../client.ts';
import { exportedChunks as table } from '../../schema/exports/chunks.ts';
import { exportedFiles } from '../../schema/exports/files.ts';

/** Size in bytes of every chunk except the last. */
const chunkBytes = 262_144;
/** Chunks per statement. */
const chunksAtOnce = 4;

/** Stores files in the database, for installations without an object store. */
export const createChunkStore = (db: Db): ObjectStore => ({
  ...createChunkReader(db),
  name: 'database',
  begin: async (file) => {
    let n = 0;
    const chunker = createChunker(chunkBytes, (piece) => writeChunk(db, file, n++, piece));
    return { append: chunker.add, finish: chunker.flush };
  },
  remove: (file) => removeChunks(db, file),
});

/** Reads files from the database. */
export const createChunkReader = (db: Db): ObjectReader => ({ read: async (part) => chunksOf(db, part) });

/** @throws AppError `expired` if the attempt that writes this file is no longer the current one */
async function writeChunk(db: Db, file: string, n: number, bytes: Uint8Array): Promise<void> {
  // The lock makes a new attempt wait until this chunk is visible to its deletion.
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
        // Chunks were deleted meanwhile. The stream must fail, so that the reader does not take the part for the
        // whole.
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

/** Deletes in bounded statements, so that none holds its locks for long. */
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
