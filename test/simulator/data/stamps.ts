/** Milliseconds. A change after a read always has a later time than the read, if necessary ahead of the clock. */
export type Stamps = { read(): number; change(): number };

export function createStamps(): Stamps {
  let lastRead = 0;
  let lastChange = 0;
  return {
    read: () => {
      lastRead = Math.max(Date.now(), lastRead, lastChange);
      return lastRead;
    },
    change: () => {
      lastChange = Math.max(Date.now(), lastChange, lastRead + 1);
      return lastChange;
    },
  };
}
