import type { Telemetry } from '../kernel/observability/telemetry.ts';
import { measured } from '../remotes/http/measured.ts';
import type { Transport } from '../remotes/http/transport.ts';

/** The transport, its exchanges timed by the id of the dispatcher that is asked. */
export const timed = (transport: Transport, telemetry: Telemetry | undefined): Transport =>
  telemetry
    ? measured(transport, (node, seconds) => telemetry.time('upstream_duration', [node], seconds))
    : transport;
