/** A position in the write-ahead log of a server (`pg_lsn`), in bytes. */
export type LogPosition = bigint;

const pageBytes = 8_192n;
const headerBytes = 24n;

/**
 * Parses a position such as `16/B374D848`. After a record that fills its page, a primary names the place behind the
 * header of the next page, and a standby the end of the record. Both give the same position: otherwise the standby
 * would seem to lack something until the next write.
 * @throws Error for other texts
 */
export function parsePosition(text: string): LogPosition {
  const [, high, low] = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i.exec(text) ?? [];
  if (high === undefined || low === undefined) throw new Error('not a position in the log of PostgreSQL');
  const position = (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
  return position % pageBytes === headerBytes ? position - headerBytes : position;
}
