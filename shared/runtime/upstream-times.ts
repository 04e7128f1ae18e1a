import type { Telemetry } from '../kernel/observability/telemetry.ts';
import { measured } from '../remotes/http/measured.ts';
import type { Transport } from '../remotes/http/transport.ts';

/** Measures the exchanges of a transport by dispatcher id. */
export const timed = (transport: Transport, telemetry: Telemetry | undefined): Transport =>
  telemetry
    ? measured(transport, (node, seconds) => telemetry.time('upstream_duration', [node], seconds))
    : transport;
