import type { ExportRow, Member } from '../../db/repositories/exports/sources.ts';
import type { Format } from './format.ts';

/**
 * RFC 4180 with a header line. A cell that a spreadsheet would interpret as a formula begins with an apostrophe, and so does the
 * part of a cell behind `;`, `|`, a tab or a line break, at which spreadsheets with other settings split.
 */
export const csv: Format = {
  mediaType: 'text/csv; charset=utf-8; header=present',
  extension: 'csv',
  begin: (members) => `${members.map(({ name }) => cellOf(name)).join(',')}\r\n`,
  row: (members, row) => `${members.map((member) => valueIn(row, member)).join(',')}\r\n`,
  end: () => '',
};

function valueIn(row: ExportRow, { name, kind }: Member): string {
  const value = row[name] ?? null;
  if (value === null) return '';
  return cellOf(kind === 'json' && value.startsWith('"') ? String(JSON.parse(value)) : value);
}

/**
 * Spreadsheets skip white space before a formula, and some read fullwidth characters as ASCII. A leading tab or
 * carriage return also counts, because a program that splits at it places the rest in a separate cell.
 */
const isFormula = /^(?:[\t\r]|[\s\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠﹢﹣﹦﹫\t\r])/u;
/**
 * The place in a cell where a program with another separator begins a new cell, if a formula follows. For such a program the
 * quotes of the cell have no meaning, so that its line breaks separate too.
 */
const innerFormula = /(\r\n|[;|\t\r\n])(?=["\s\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠﹢﹣﹦﹫])/gu;
const needsQuotes = /[",\r\n]/;

function cellOf(text: string): string {
  const inner = text.replace(innerFormula, "$1'");
  const safe = isFormula.test(text) ? `'${inner}` : inner;
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
