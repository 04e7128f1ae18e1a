import { describe, expect, it } from 'vitest';
import { createWakes } from '../../../shared/kernel/concurrency/notifier.ts';

const never = 2_147_483_647;
const live = () => new AbortController().signal;

describe('who waits for news', () => {
  it('is woken by his key and by no other', async () => {
    const wakes = createWakes();
    const [one, other] = [wakes.listen('one'), wakes.listen('other')];
    const woken: string[] = [];
    const gone = new AbortController();
    const waiting = [
      one.next(never, live()).then(() => woken.push('one')),
      other.next(never, gone.signal).then(() => woken.push('other')),
    ];
    wakes.wake('one');
    wakes.wake('nobody');
    await waiting[0];
    expect(woken).toEqual(['one']);
    gone.abort();
    await waiting[1];
    expect(woken).toEqual(['one', 'other']);
  });

  it('hears at once what came since he looked, and only once', async () => {
    const wakes = createWakes();
    const listener = wakes.listen('key');
    wakes.wake('key');
    await listener.next(never, live());
    const gone = new AbortController();
    const again = listener.next(never, gone.signal);
    const first = await Promise.race([again.then(() => 'again'), Promise.resolve('waits')]);
    expect(first).toBe('waits');
    gone.abort();
    await again;
  });

  it('goes on when his time is over, when he has gone, and when the process ends', async () => {
    const wakes = createWakes();
    await wakes.listen('key').next(1, live());
    await wakes.listen('key').next(never, AbortSignal.abort());
    const waiting = wakes.listen('key').next(never, live());
    wakes.end();
    await waiting;
    await wakes.listen('key').next(never, live());
    expect(wakes.hasEnded()).toBe(true);
  });

  it('is known until he has closed', () => {
    const wakes = createWakes();
    const [one, two] = [wakes.listen('key'), wakes.listen('key')];
    expect(wakes.size()).toBe(2);
    one.close();
    two.close();
    expect(wakes.size()).toBe(0);
  });
});
