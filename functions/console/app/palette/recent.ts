import { facts } from '../facts.ts';
import type { Parents } from '../records/kinds.ts';

/** A record whose page was opened. */
export type RecentRecord = { type: string; id: string; name: string; parents: Parents };

const most = 12;
const key = `recent ${facts.user.id}`;

/** The records that the user opened last in this browser, the newest first. */
export function recentRecords(): RecentRecord[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isRecent) : [];
  } catch {
    return [];
  }
}

const isRecent = (value: unknown): value is RecentRecord =>
  typeof value === 'object' &&
  value !== null &&
  ['type', 'id', 'name'].every((member) => typeof Reflect.get(value, member) === 'string') &&
  typeof Reflect.get(value, 'parents') === 'object';

const isSame = (a: RecentRecord, b: RecentRecord): boolean => a.type === b.type && a.id === b.id;

export function noteRecent(opened: RecentRecord): void {
  write([opened, ...recentRecords().filter((one) => !isSame(one, opened))].slice(0, most));
}

/** Removes a record that does not exist any more. */
export const forgetRecent = (gone: Pick<RecentRecord, 'type' | 'id'>): void =>
  write(recentRecords().filter(({ type, id }) => type !== gone.type || id !== gone.id));

function write(records: readonly RecentRecord[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(records));
  } catch {
    // Without storage there are no recent records.
  }
}
