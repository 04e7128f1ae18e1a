import type { ChangePage, ChangePosition } from '../../db/repositories/changes/changes.ts';

/** Characters that a cursor may have, for its schema. */
export const cursorPattern = /^[0-9a-f]{8}\.\d{1,20}\.\d{1,16}$/;

/** @param epoch identifies the database */
export const cursorOf = (epoch: string, { xid, seq }: ChangePosition): string => `${epoch}.${xid}.${seq}`;

/** The position of a page on which all changes were read. */
export const endOf = ({ horizon }: Pick<ChangePage, 'horizon'>): ChangePosition => ({ xid: horizon, seq: 0 });

/** The same place, which does not move while nothing is changed. */
export const stableEndOf = ({ last, removedTo }: Pick<ChangePage, 'last' | 'removedTo'>): ChangePosition =>
  last ? behind(last) : { xid: removedTo + 1n, seq: 0 };

/** Larger than the number of any change. */
const behindAll = Number.MAX_SAFE_INTEGER;

/** The place behind all changes of the transaction. */
export const behind = ({ xid }: Pick<ChangePosition, 'xid'>): ChangePosition => ({ xid, seq: behindAll });

export const isAfter = (one: ChangePosition, other: ChangePosition): boolean =>
  one.xid === other.xid ? one.seq > other.seq : one.xid > other.xid;

/** @returns undefined for a text that is not a cursor */
export function positionIn(cursor: string): (ChangePosition & { epoch: string }) | undefined {
  const [epoch, xid, seq] = cursor.split('.');
  if (!cursorPattern.test(cursor) || epoch === undefined || xid === undefined) return undefined;
  // A transaction id has 64 bits; a number above them would make the statement fail.
  if (BigInt(xid) >= 2n ** 64n) return undefined;
  return { epoch, xid: BigInt(xid), seq: Number(seq) };
}

/**
 * True if all changes after the position are still stored. False for a cursor of another database, and for one that is
 * ahead of this database, which was then restored from a backup.
 */
export const isContinuable = (
  { epoch, xid, seq }: ChangePosition & { epoch: string },
  page: Pick<ChangePage, 'epoch' | 'removedTo' | 'horizon'>,
): boolean =>
  epoch === page.epoch &&
  (xid > page.removedTo || (xid === page.removedTo && seq === behindAll)) &&
  xid <= page.horizon;
