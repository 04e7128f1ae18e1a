import type { ExportRow, Member } from '../../db/repositories/exports/sources.ts';

/** How rows become the text of a file. */
export type Format = {
  mediaType: string;
  /** Of the file name. */
  extension: string;
  begin(members: readonly Member[]): string;
  /** @param isFirst of the whole file */
  row(members: readonly Member[], row: ExportRow, isFirst: boolean): string;
  end(isEmpty: boolean): string;
};
