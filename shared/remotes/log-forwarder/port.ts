/** An audit event on its way out: its text as it was sealed, and both of its hashes, so that the chain can be checked there. */
export type ForwardedEvent = {
  seq: number;
  at: Date;
  level: 'info' | 'warning' | 'error';
  event: string;
  sealed_text: string;
  prev_hash: string;
  hash: string;
};

/** A log collector. */
export type LogForwarder = {
  name: 'fluentd' | 'syslog';
  /**
   * Delivers events in their order. Without any it only finds out whether the collector is there.
   * @throws Error unless the collector has said that it has them; it may have some, or all of them, nevertheless
   */
  deliver(events: readonly ForwardedEvent[], signal: AbortSignal): Promise<void>;
};
