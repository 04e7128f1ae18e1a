import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Limits, LimitWatch } from '../../../shared/tooling/embedded/protocol/limits.ts';
import { type Client, EngineQueue } from '../../../shared/tooling/embedded/protocol/queue.ts';

/** Clients whose jobs record their results; those that keep the engine are inside a transaction. */
class Stand {
  readonly queue = new EngineQueue();
  readonly events: string[] = [];
  readonly #clients = new Map<Client, { name: string; limits: Limits }>();
  readonly watch = new LimitWatch(this.queue, {
    limitsOf: (client) => this.#clients.get(client)?.limits ?? { statementMs: 0, lockMs: 0, idleMs: 0 },
    end: (client, { code }) => {
      this.events.push(`${this.#clients.get(client)?.name} ended ${code}`);
      this.add(client, 'rollback', false);
    },
    defaultIdleMs: 30_000,
  });

  client(name: string, limits: Partial<Limits> = {}): Client {
    const client: Client = { jobs: [], waitsSince: 0 };
    this.#clients.set(client, { name, limits: { statementMs: 0, lockMs: 0, idleMs: undefined, ...limits } });
    return client;
  }

  add(client: Client, text: string, isKept: boolean): void {
    const name = `${this.#clients.get(client)?.name} ${text}`;
    const run = async () => {
      this.events.push(name);
      return isKept;
    };
    this.queue.add(client, { run, refuse: ({ code }) => this.events.push(`${name} ${code}`) });
  }

  /** Runs what is ready, and advances the time. */
  async pass(ms: number): Promise<void> {
    await this.queue.rest();
    await vi.advanceTimersByTimeAsync(ms);
    await this.queue.rest();
  }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

it('statement_timeout counts from the arrival, and from the answer to the previous statement', async () => {
  const stand = new Stand();
  const [holder, waiter] = [stand.client('a'), stand.client('b', { statementMs: 1_000 })];
  stand.add(holder, 'begin', true);
  await stand.pass(400);
  stand.add(waiter, 'one', false);
  stand.add(waiter, 'two', false);
  await stand.pass(999);
  expect(stand.events).toEqual(['a begin']);
  await stand.pass(1);
  expect(stand.events).toEqual(['a begin', 'b one 57014']);
  await stand.pass(999);
  stand.add(holder, 'commit', false);
  await stand.pass(5_000);
  expect(stand.events.slice(2)).toEqual(['a commit', 'b two']);
});

it('lock_timeout restarts for each transaction that blocks', async () => {
  const stand = new Stand();
  const [first, second] = [stand.client('a'), stand.client('b')];
  const [waiter, late] = [stand.client('c', { lockMs: 3_000 }), stand.client('d', { lockMs: 3_000 })];
  stand.add(first, 'begin', true);
  stand.add(second, 'begin', true);
  stand.add(waiter, 'x', false);
  await stand.pass(2_900);
  stand.add(first, 'commit', false);
  await stand.pass(2_900);
  stand.add(late, 'y', false);
  expect(stand.events).toEqual(['a begin', 'a commit', 'b begin']);
  await stand.pass(200);
  expect(stand.events.slice(3)).toEqual(['c x 55P03']);
  stand.add(second, 'commit', false);
  await stand.pass(10_000);
  expect(stand.events.slice(4)).toEqual(['b commit', 'd y']);
});

it('the earlier of both limits applies, and 0 means none', async () => {
  const stand = new Stand();
  const limits = [
    { statementMs: 50, lockMs: 40 },
    { statementMs: 40, lockMs: 50 },
    { statementMs: 0, lockMs: 0 },
  ];
  stand.add(stand.client('a', { idleMs: 0 }), 'begin', true);
  for (const [index, limit] of limits.entries()) stand.add(stand.client(`${index}`, limit), 'x', false);
  await stand.pass(10_000_000);
  expect(stand.events).toEqual(['a begin', '0 x 55P03', '1 x 57014']);
});

it('a transaction that is idle longer than its own limit is ended, also when no other client waits', async () => {
  const stand = new Stand();
  const client = stand.client('a', { idleMs: 2_000 });
  stand.add(client, 'begin', true);
  await stand.pass(1_500);
  stand.add(client, 'x', true);
  await stand.pass(1_999);
  expect(stand.events).toEqual(['a begin', 'a x']);
  await stand.pass(1);
  expect(stand.events.slice(2)).toEqual(['a ended 25P03', 'a rollback']);
});

it('a transaction without its own limit is ended after the default, and only while others wait', async () => {
  const stand = new Stand();
  const [client, waiter] = [stand.client('a'), stand.client('b')];
  stand.add(client, 'begin', true);
  await stand.pass(100_000);
  stand.add(client, 'x', true);
  await stand.pass(20_000);
  stand.add(waiter, 'y', false);
  await stand.pass(9_999);
  expect(stand.events).toEqual(['a begin', 'a x']);
  await stand.pass(1);
  expect(stand.events.slice(2)).toEqual(['a ended 25P03', 'a rollback', 'b y']);
});

it('a transaction with a limit of 0 may be idle without end', async () => {
  const stand = new Stand();
  stand.add(stand.client('a', { idleMs: 0 }), 'begin', true);
  stand.add(stand.client('b'), 'x', false);
  await stand.pass(10_000_000);
  expect(stand.events).toEqual(['a begin']);
});

it('nothing is limited after stop', async () => {
  const stand = new Stand();
  stand.add(stand.client('a', { idleMs: 10 }), 'begin', true);
  await stand.pass(5);
  stand.watch.stop();
  await stand.pass(1_000);
  expect(stand.events).toEqual(['a begin']);
});
