import { TransportError } from './transport.ts';

/**
 * Runs `work` until a deadline, or until `outer` aborts. Then the signal of `work` aborts and the promise rejects
 * immediately, even if `work` does not react to its signal (for example during a TLS handshake).
 * @throws TransportError `timeout`
 */
export async function withinDeadline<T>(
  deadlineMs: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (deadlineMs <= 0 || outer?.aborted) throw new TransportError('timeout');
  const inner = new AbortController();
  const late = Promise.withResolvers<never>();
  const stop = () => {
    const fault = new TransportError('timeout');
    late.reject(fault);
    inner.abort(fault);
  };
  const timer = setTimeout(stop, deadlineMs);
  outer?.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([late.promise, work(inner.signal)]);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', stop);
  }
}
