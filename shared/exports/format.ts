import type { ExportRow, Member } from '../../db/repositories/exports/sources.ts';

/** Converts rows to the text of a file. */
export type Format = {
  mediaType: string;
  /** Extension of the file name. */
  extension: string;
  begin(members: readonly Member[]): string;
  /** @param isFirst true for the first row of the file */
  row(members: readonly Member[], row: ExportRow, isFirst: boolean): string;
  end(isEmpty: boolean): string;
};
