import { createHash } from 'node:crypto';
import type { ExportCursor } from '../../../../db/repositories/exports/cursors.ts';
import type { ExportRow, Member } from '../../../../db/repositories/exports/sources.ts';
import type { Format } from '../../../../shared/exports/format.ts';
import type { ObjectWriter } from '../../../../shared/kernel/object-store.ts';

export type WrittenFile = { rows: number; bytes: number; sha256: string };
type Progress = { rows: number; bytes: number };

/**
 * Target size of a page of rows, in bytes. The memory in use is a few times as much, independent of the length of the
 * rows.
 */
const pageBytes = 1_000_000;
const firstPageRows = 200;
const maxPageRows = 4_000;

/**
 * Writes all rows of a cursor to a file, page by page. The next page is read while the current one is written.
 * @param onProgress is called after each page
 */
export async function writeFile(
  { cursor, members, format }: { cursor: ExportCursor; members: readonly Member[]; format: Format },
  writer: ObjectWriter,
  onProgress: (progress: Progress) => Promise<void>,
): Promise<WrittenFile> {
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
    await onProgress(written);
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

/** Yields pages. The number of rows of each page depends on the size of the previous one. */
async function* pagesOf(cursor: ExportCursor): AsyncGenerator<Page> {
  let limit = firstPageRows;
  const weigh = (rows: number) => (bytes: number) => {
    limit = Math.min(maxPageRows, Math.max(1, Math.floor((rows * pageBytes) / bytes)));
  };
  const fetch = () => {
    const pageLimit = limit;
    const rows = cursor.next(pageLimit);
    // A failure is handled when the page is awaited, or ignored if writing fails first.
    rows.catch(() => undefined);
    return { pageLimit, rows };
  };
  for (let page = fetch(), isLast = false; !isLast; ) {
    const rows = await page.rows;
    isLast = rows.length < page.pageLimit;
    if (!isLast) page = fetch();
    if (rows.length > 0) yield { rows, weighs: weigh(rows.length) };
  }
}
