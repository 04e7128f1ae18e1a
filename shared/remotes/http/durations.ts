import type { Telemetry } from '../../kernel/observability/telemetry.ts';
import type { Transport } from './transport.ts';

/** Measures the exchanges of a transport by dispatcher id. */
export const withDurations = (transport: Transport, telemetry: Telemetry | undefined): Transport =>
  telemetry
    ? measureDuration(transport, (node, seconds) => telemetry.time('upstream_duration', [node], seconds))
    : transport;

/** Reports the duration of each exchange in seconds, including failures, if the request has `concerns`. */
export const measureDuration = (
  transport: Transport,
  note: (concerns: string, seconds: number) => void,
): Transport => ({
  ...transport,
  send: async (request) => {
    const startedAt = performance.now();
    try {
      return await transport.send(request);
    } finally {
      if (request.concerns !== undefined) note(request.concerns, (performance.now() - startedAt) / 1000);
    }
  },
});
