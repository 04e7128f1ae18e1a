/** An audit event for forwarding: the sealed text and both hashes, so that the receiver can verify the chain. */
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
   * Delivers events in order. An empty list only checks the connection.
   * @throws Error unless the collector has confirmed the events; it may still have received some or all of them
   */
  deliver(events: readonly ForwardedEvent[], signal: AbortSignal): Promise<void>;
};
