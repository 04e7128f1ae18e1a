import { sha256 } from '../kernel/crypto/digests.ts';
import { isObject } from '../kernel/json/json.ts';

/** As base64url with 132 bits. */
export const digest = (text: string): string => sha256(text).slice(0, 22);

/** Digest of the services of a farm, as the database calculates it for the column `revision`. */
export const revisionOf = (services: unknown): string => digest(jsonbText(services));

/** The text of a value in the database as `jsonb`: short member names first, then by their bytes. */
function jsonbText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonbText).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}: ${jsonbText(member)}`).join(', ')}}`;
}
