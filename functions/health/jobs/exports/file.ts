import { createHash } from 'node:crypto';
import type { ExportCursor } from '../../../../db/repositories/exports/cursors.ts';
import type { ExportRow, Member } from '../../../../db/repositories/exports/sources.ts';
import type { Format } from '../../../../shared/exports/format.ts';
import type { ObjectWriter } from '../../../../shared/kernel/object-store.ts';

export type Written = { rows: number; bytes: number; sha256: string };
type Progress = { rows: number; bytes: number };

/** Bytes of a page of rows, as a mark: what is in memory is a few times as much, however long the rows are. */
const pageBytes = 1_000_000;
const rowsAtFirst = 200;
const mostRows = 4_000;

/**
 * Writes all rows of a cursor into a file, a page at a time; the next page is read while one is written.
 * @param tell is told how far it is after every page
 */
export async function writeFile(
  { cursor, members, format }: { cursor: ExportCursor; members: readonly Member[]; format: Format },
  writer: ObjectWriter,
  tell: (progress: Progress) => Promise<void>,
): Promise<Written> {
  const hash = createHash('sha256');
  const written = { rows: 0, bytes: 0 };
  const write = async (text: string): Promise<number> => {
    const bytes = Buffer.from(text);
    hash.update(bytes);
    await writer.append(bytes);
    written.bytes += bytes.length;
    return bytes.length;
  };
  await write(format.begin(members));
  for await (const page of pagesOf(cursor)) {
    const length = await write(textOf(page.rows, members, format, written.rows === 0));
    written.rows += page.rows.length;
    page.weighs(length);
    await tell(written);
  }
  await write(format.end(written.rows === 0));
  return { ...written, sha256: hash.digest('hex') };
}

const textOf = (
  rows: readonly ExportRow[],
  members: readonly Member[],
  format: Format,
  isFirst: boolean,
): string => rows.map((row, at) => format.row(members, row, isFirst && at === 0)).join('');

type Page = { rows: ExportRow[]; weighs(bytes: number): void };

/** Pages whose size follows the weight of those before. */
async function* pagesOf(cursor: ExportCursor): AsyncGenerator<Page> {
  let limit = rowsAtFirst;
  const weigh = (rows: number) => (bytes: number) => {
    limit = Math.min(mostRows, Math.max(1, Math.floor((rows * pageBytes) / bytes)));
  };
  const fetch = () => {
    const asked = limit;
    const coming = cursor.next(asked);
    // A failure is told when its turn comes, or not at all when writing fails before.
    coming.catch(() => undefined);
    return { asked, coming };
  };
  for (let page = fetch(), isLast = false; !isLast; ) {
    const rows = await page.coming;
    isLast = rows.length < page.asked;
    if (!isLast) page = fetch();
    if (rows.length > 0) yield { rows, weighs: weigh(rows.length) };
  }
}
