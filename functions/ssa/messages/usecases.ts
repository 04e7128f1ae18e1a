import type { z } from 'zod';
import {
  acknowledge,
  type PendingMessage,
  pendingMessages,
} from '../../../db/repositories/agents/session-messages.ts';
import type { SessionAgent } from '../../../shared/agents/credentials.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { createNotifier, type Listener } from '../../../shared/kernel/concurrency/notifier.ts';
import type { SsaDeps } from '../deps.ts';

/** A request that waits for messages ends with its connection. */
type WaitingCtx = RequestCtx<SsaDeps, SessionAgent>;

import type { Message, MessagesQuery } from './schema.ts';

/**
 * Milliseconds between two database queries. With a notifier, polling only finds messages that other processes
 * wrote.
 */
const everyMs = { alone: 900, woken: 5_000 };

/** Returns waiting messages immediately, or those that arrive within the requested waiting time. */
export async function waitForMessages(
  ctx: WaitingCtx,
  { wait = 0, after }: z.output<typeof MessagesQuery>,
): Promise<Message[]> {
  const { deps, now, principal } = ctx;
  const { session, workplace } = principal;
  const until = performance.now() + wait * 1000;
  // Subscribes before the first query, so that no message is missed between the query and the wait.
  const listener = (deps.notifier ?? createNotifier()).listen(workplace.uuid);
  try {
    const found = await acknowledge(deps.db, session.id, after, now);
    return (found.length > 0 ? found : await laterOnes(ctx, session.id, listener, until)).map(messageView);
  } finally {
    listener.close();
  }
}

async function laterOnes(
  { deps, gone }: WaitingCtx,
  id: string,
  listener: Listener,
  until: number,
): Promise<PendingMessage[]> {
  const signal = gone();
  const every = deps.notifier ? everyMs.woken : everyMs.alone;
  for (;;) {
    const leftMs = until - performance.now();
    if (leftMs <= 0 || signal.aborted || deps.notifier?.hasEnded()) return [];
    await listener.next(Math.min(every, leftMs), signal);
    if (signal.aborted) return [];
    const found = await pendingMessages(deps.db, id, deps.clock());
    if (found.length > 0) return found;
  }
}

const messageView = ({ id, kind, title, message }: PendingMessage): Message => ({
  id,
  kind,
  ...(title !== null && { title }),
  ...(message !== null && { message }),
});
