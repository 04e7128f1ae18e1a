import { notingCommits } from '../../../db/client.ts';
import { type LogPosition, parsePosition } from '../../../db/replica/position.ts';
import type { ReadSource } from '../../../db/replica/reads-apart.ts';
import { recentWriteOf } from '../../../db/repositories/audit/recent-writes.ts';
import type { BaseDeps } from '../../context/context.ts';
import type { TokenPrincipal } from '../../context/principal.ts';
import { perProcess } from '../../context/process-memory.ts';
import { RecentMap } from '../../kernel/concurrency/recent-map.ts';
import { isWrite, type Operation } from '../declare/operation.ts';
import { openPosition, sealPosition } from './consistency-token.ts';

/**
 * A response to a write has this header if reads may go to a replica. A read that sends it back sees at least that
 * write. Without it, reads of the user go to the primary for five seconds after a write.
 */
export const consistencyHeader = 'x-consistency-token';

const onPrimaryMs = 5_000;
/** Afterwards, the data of a replica that is used contains the write. */
const validMs = 60_000;

const mostWriters = 2_000;

/** The times of writes with a token, by its digest. Writes of other processes are found in the database. */
const lastWritesOf = perProcess(() => new RecentMap<string, number>(mostWriters));

/** Finds where the first reads of a caller are sent; undefined for the primary. */
export type FindSource = (principal: TokenPrincipal, tokenHash: string) => ReadSource | undefined;

type Read = { operation: Pick<Operation<never>, 'mayLag'>; token: string | undefined; now: Date };

/**
 * @param read with the value of the header as `token`
 * @returns undefined if all reads of the operation go to the primary
 */
export async function replicaFor(
  deps: BaseDeps,
  { operation, token, now }: Read,
): Promise<FindSource | undefined> {
  const { replica } = deps;
  if (!replica || !operation.mayLag) return undefined;
  const position = token === undefined ? undefined : await positionIn(deps, token, now);
  return (principal, tokenHash) => {
    if (position !== undefined) return replica.sourceFor({ position });
    const writtenAt = lastWritesOf(deps).get(tokenHash) ?? Number.NEGATIVE_INFINITY;
    if (principal.kind === 'peer' || now.getTime() - writtenAt < onPrimaryMs) return undefined;
    const { id, name } = principal.user;
    return replica.sourceFor({ unless: (primary) => recentWriteOf(primary, { id, name }) });
  };
}

/** The dependencies of a write, and its confirmation. */
export type NotedWrite<D> = {
  deps: D;
  /** Adds the header to a success. */
  confirm(response: Response, tokenHash: string | undefined): Promise<void>;
};

/** @returns undefined if no reads go to a replica */
export function noteWrite<D extends BaseDeps>(
  deps: D,
  operation: Pick<Operation<never>, 'method' | 'readsOnly'>,
  now: Date,
): NotedWrite<D> | undefined {
  if (!deps.replica || !isWrite(operation)) return undefined;
  let last: LogPosition = 0n;
  let text: string | undefined;
  const db = notingCommits(deps.db, (position) => {
    const parsed = parsePosition(position);
    if (parsed > last) [last, text] = [parsed, position];
  });
  return {
    deps: db ? { ...deps, db } : deps,
    confirm: async (response, tokenHash) => {
      if (!response.ok) return;
      if (tokenHash !== undefined) lastWritesOf(deps).set(tokenHash, now.getTime());
      if (text === undefined) return;
      const token = await sealPosition(deps.cursorSealer, { position: text, at: now });
      response.headers.set(consistencyHeader, token);
    },
  };
}

/** @returns undefined for a token that is old, or that this installation has not made */
async function positionIn(
  { cursorSealer }: BaseDeps,
  token: string,
  now: Date,
): Promise<LogPosition | undefined> {
  const written = await openPosition(cursorSealer, token);
  const isValid = written && now.getTime() - written.at.getTime() < validMs;
  return isValid ? parsePosition(written.position) : undefined;
}
