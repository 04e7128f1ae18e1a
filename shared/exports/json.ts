import type { ExportRow, Member } from '../../db/repositories/exports/sources.ts';
import type { Format } from './format.ts';

/** One object per line, equal to an item of the list. */
export const ndjson: Format = {
  mediaType: 'application/x-ndjson',
  extension: 'ndjson',
  begin: () => '',
  row: (members, row) => `${objectOf(members, row)}\n`,
  end: () => '',
};

/** One array with one object per line. */
export const json: Format = {
  mediaType: 'application/json',
  extension: 'json',
  begin: () => '[',
  row: (members, row, isFirst) => `${isFirst ? '\n' : ',\n'}${objectOf(members, row)}`,
  end: (isEmpty) => (isEmpty ? ']\n' : '\n]\n'),
};

/** The database returns all values except texts as JSON. */
function objectOf(members: readonly Member[], row: ExportRow): string {
  let text = '';
  for (const { name, kind } of members) {
    const value = row[name] ?? null;
    const shown = kind === 'text' ? JSON.stringify(value) : value;
    text += `${text === '' ? '{' : ','}"${name}":${shown}`;
  }
  return `${text}}`;
}
