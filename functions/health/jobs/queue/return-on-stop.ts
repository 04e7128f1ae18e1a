/**
 * Returns a job to the queue immediately when the sidecar stops, not when its worker ends: the engine does not wait
 * for a worker that exceeds the grace period.
 */
export function returnOnStop(stopping: AbortSignal, returnToQueue: () => Promise<void>) {
  let returned: Promise<void> | undefined;
  const onStop = () => {
    returned = returnToQueue();
  };
  if (stopping.aborted) onStop();
  else stopping.addEventListener('abort', onStop, { once: true });
  return {
    settled: async () => returned,
    forget: () => stopping.removeEventListener('abort', onStop),
  };
}
