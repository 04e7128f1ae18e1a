import { AppError } from '../errors.ts';

/** Where somebody waits: in which line, and as whose work. */
export type QueuePosition<Line extends string> = { line: Line; owner: string };

/** Runs the work now or as soon as its turn comes. */
export type FairQueue<Line extends string> = <T>(
  place: QueuePosition<Line>,
  work: () => PromiseLike<T>,
) => Promise<T>;

type Waiting = { start(): void; refuse(error: AppError): void };
type Queue = { owners: Map<string, Waiting[]>; length: number; share: number; served: number };

/**
 * Lets at most `width` run at once. The others wait in lines of at most `most` each: of lines where somebody waits each
 * gets its share of turns, and within a line its owners take turns. In a full line the last of whoever has most there
 * makes room for somebody who has fewer, so that no owner fills it for the others.
 * @param shares turns of each line in proportion to those of the others
 * @throws AppError `overloaded` for whom there is no room
 */
export function createFairQueue<Line extends string>(
  width: number,
  most: number,
  shares: Readonly<Record<Line, number>>,
): FairQueue<Line> {
  let running = 0;
  /** What a line has been served, by its share, when it was served last. */
  let served = 0;
  const queues = new Map(Object.entries<number>(shares).map(([line, share]) => [line, emptyQueue(share)]));

  const wait = ({ line, owner }: QueuePosition<Line>): Promise<void> =>
    new Promise((resolve, reject) => {
      const queue = queues.get(line);
      if (!queue || (queue.length >= most && !makeRoom(queue, owner)))
        return reject(new AppError('overloaded'));
      // Who waits for nothing saves no turns for later.
      if (queue.length === 0) queue.served = Math.max(queue.served, served);
      add(queue, owner, { start: resolve, refuse: reject });
    });

  const callNext = (): void => {
    const queue = leastServed([...queues.values()]);
    if (!queue) return void running--;
    served = queue.served;
    queue.served += 1 / queue.share;
    takeFirst(queue)?.start();
  };

  return async function turn(place, work) {
    if (running >= width) await wait(place);
    else running++;
    try {
      return await work();
    } finally {
      // The place passes on; only when nobody waits does it become free.
      callNext();
    }
  };
}

const emptyQueue = (share: number): Queue => ({ owners: new Map(), length: 0, share, served: 0 });

const leastServed = (queues: readonly Queue[]): Queue | undefined =>
  queues.filter(({ length }) => length > 0).sort((a, b) => a.served - b.served)[0];

function add(queue: Queue, owner: string, one: Waiting): void {
  queue.owners.set(owner, [...(queue.owners.get(owner) ?? []), one]);
  queue.length++;
}

/** Takes the first of the owner whose turn it is; a map keeps its order, so that this owner comes last then. */
function takeFirst(queue: Queue): Waiting | undefined {
  const [first] = queue.owners;
  if (!first) return undefined;
  const [owner, [next, ...others]] = first;
  queue.owners.delete(owner);
  if (others.length > 0) queue.owners.set(owner, others);
  queue.length--;
  return next;
}

/** @returns false when nobody has clearly more in the line than this owner */
function makeRoom(queue: Queue, owner: string): boolean {
  const [longest] = [...queue.owners].sort(([, a], [, b]) => b.length - a.length);
  const own = queue.owners.get(owner)?.length ?? 0;
  if (!longest || longest[1].length <= own + 1) return false;
  longest[1].pop()?.refuse(new AppError('overloaded'));
  queue.length--;
  return true;
}
