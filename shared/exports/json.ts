import type { ExportRow, Member } from '../../db/repositories/exports/sources.ts';
import type { Format } from './format.ts';

/** One object a line, the same as an item of the list. */
export const ndjson: Format = {
  mediaType: 'application/x-ndjson',
  extension: 'ndjson',
  begin: () => '',
  row: (members, row) => `${objectOf(members, row)}\n`,
  end: () => '',
};

/** One array, an object a line. */
export const json: Format = {
  mediaType: 'application/json',
  extension: 'json',
  begin: () => '[',
  row: (members, row, isFirst) => `${isFirst ? '\n' : ',\n'}${objectOf(members, row)}`,
  end: (isEmpty) => (isEmpty ? ']\n' : '\n]\n'),
};

/** All but texts are JSON as the database tells them. */
function objectOf(members: readonly Member[], row: ExportRow): string {
  let text = '';
  for (const { name, kind } of members) {
    const value = row[name] ?? null;
    const shown = kind === 'text' ? JSON.stringify(value) : value;
    text += `${text === '' ? '{' : ','}"${name}":${shown}`;
  }
  return `${text}}`;
}
