import { describe, expect, it } from 'vitest';
import { BusyPoolError, NoResponseError, Slots } from '../../../db/postgres/slots.ts';

describe('the slots of a pool', () => {
  it('are granted in the order of the requests', async () => {
    const slots = new Slots(1);
    const given: number[] = [];
    await slots.acquire(1_000);
    const waiting = [1, 2, 3].map((n) => slots.acquire(20_000).then(() => given.push(n)));
    for (const _ of waiting) {
      slots.release();
      await new Promise(setImmediate);
    }
    expect(given).toEqual([1, 2, 3]);
  });

  it('are granted to urgent work first', async () => {
    const slots = new Slots(1);
    const given: string[] = [];
    await slots.acquire(1_000);
    const waiting = [
      slots.acquire(20_000).then(() => given.push('first')),
      slots.acquire(20_000, true).then(() => given.push('urgent')),
    ];
    for (const _ of waiting) {
      slots.release();
      await new Promise(setImmediate);
    }
    expect(given).toEqual(['urgent', 'first']);
  });

  it('that are all in use are a cause of their own only while the database answers', async () => {
    const slots = new Slots(1);
    await slots.acquire(1_000);
    await expect(slots.acquire(1)).rejects.not.toThrow(BusyPoolError);
    slots.noteAnswer();
    await expect(slots.acquire(1, true)).rejects.toThrow(BusyPoolError);
  });

  it('are not granted to a cancelled request', async () => {
    const slots = new Slots(1);
    await slots.acquire(1_000);
    await expect(slots.acquire(1)).rejects.toThrow(NoResponseError);
    const next = slots.acquire(20_000);
    slots.release();
    await next;
    await expect(slots.acquire(1)).rejects.toThrow(NoResponseError);
  });

  it('are fewer while the server has not ended closed connections', async () => {
    const slots = new Slots(2);
    slots.take();
    slots.take();
    slots.take();
    await expect(slots.acquire(1)).rejects.toThrow(NoResponseError);
    slots.release();
    await expect(slots.acquire(1)).rejects.toThrow(NoResponseError);
    slots.release();
    await slots.acquire(1_000);
    await expect(slots.acquire(1)).rejects.toThrow(NoResponseError);
  });
});
