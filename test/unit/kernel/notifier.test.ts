import { describe, expect, it } from 'vitest';
import { createNotifier } from '../../../shared/kernel/concurrency/notifier.ts';

const never = 2_147_483_647;
const live = () => new AbortController().signal;

describe('a waiter of the notifier', () => {
  it('is notified for its key and for no other', async () => {
    const notifier = createNotifier();
    const [one, other] = [notifier.listen('one'), notifier.listen('other')];
    const woken: string[] = [];
    const gone = new AbortController();
    const waiting = [
      one.next(never, live()).then(() => woken.push('one')),
      other.next(never, gone.signal).then(() => woken.push('other')),
    ];
    notifier.notify('one');
    notifier.notify('unknown');
    await waiting[0];
    expect(woken).toEqual(['one']);
    gone.abort();
    await waiting[1];
    expect(woken).toEqual(['one', 'other']);
  });

  it('gets notifications at once that arrived since its last read, each once', async () => {
    const notifier = createNotifier();
    const listener = notifier.listen('key');
    notifier.notify('key');
    await listener.next(never, live());
    const gone = new AbortController();
    const again = listener.next(never, gone.signal);
    const first = await Promise.race([again.then(() => 'again'), Promise.resolve('waits')]);
    expect(first).toBe('waits');
    gone.abort();
    await again;
  });

  it('continues at its timeout, at its cancellation, and at the end of the process', async () => {
    const notifier = createNotifier();
    await notifier.listen('key').next(1, live());
    await notifier.listen('key').next(never, AbortSignal.abort());
    const waiting = notifier.listen('key').next(never, live());
    notifier.end();
    await waiting;
    await notifier.listen('key').next(never, live());
    expect(notifier.hasEnded()).toBe(true);
  });

  it('is registered until it is closed', () => {
    const notifier = createNotifier();
    const [one, two] = [notifier.listen('key'), notifier.listen('key')];
    expect(notifier.size()).toBe(2);
    one.close();
    two.close();
    expect(notifier.size()).toBe(0);
  });
});
