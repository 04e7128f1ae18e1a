import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rounded } from '../load.ts';

export type ExportFigures = {
  rows: number;
  mb: number;
  /** The server has collected all rows by then. */
  first_rows_s: number;
  export_s: number;
  memory_growth_mb: number;
  /** `COPY … TO STDOUT` of the same rows. */
  copy_s: number;
  ratio: number;
};

/** The audit as it was filled before, as a CSV file in the database, beside a bare copy of the same rows. */
export async function measureExports(databaseUrl: string): Promise<ExportFigures> {
  const path = fileURLToPath(new URL('export-run.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [path, databaseUrl]);
  const figures: Omit<ExportFigures, 'ratio'> = JSON.parse(stdout);
  return {
    rows: figures.rows,
    mb: rounded(figures.mb, 1),
    first_rows_s: rounded(figures.first_rows_s, 2),
    export_s: rounded(figures.export_s, 2),
    memory_growth_mb: rounded(figures.memory_growth_mb, 1),
    copy_s: rounded(figures.copy_s, 2),
    ratio: rounded(figures.export_s / figures.copy_s, 2),
  };
}
