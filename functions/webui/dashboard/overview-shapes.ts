import { z } from 'zod';
import { Id, Moment, State } from '../../../shared/shapes/fields.ts';

/** The shapes of the parts of the administrator dashboard that show the fleet and its failures. */
export const FarmOverview = z.strictObject({
  id: Id.describe('Identifier of the farm.'),
  site_id: Id.describe('Identifier of the site.'),
  name: z.string().describe('Name of the farm.'),
  state: State,
  fetched_at: Moment.nullable().describe(
    'When the oldest part of the data of the farm was read. Null if no data was read.',
  ),
  last_sync_error: z
    .string()
    .nullable()
    .describe('Problem code of the last synchronization. Null if it succeeded.'),
});

export const NodeOverview = z.strictObject({
  id: Id.describe('Identifier of the dispatcher.'),
  farm_id: Id.describe('Identifier of the farm.'),
  name: z.string().describe('Name of the node.'),
  state: State,
  status: z
    .enum(['pass', 'fail', 'unauthorized', 'unknown'])
    .describe(
      'Result of the last probe: `pass`, `fail`, `unauthorized` (the node rejects the credentials of the portal) or `unknown` (not probed).',
    ),
  circuit: z
    .enum(['closed', 'open', 'half_open'])
    .describe(
      'State of the circuit breaker: `closed`: calls are allowed; `open`: calls are blocked after failures; `half_open`: a trial call is running.',
    ),
  last_check_at: Moment.nullable().describe('Time of the last probe. Null before the first.'),
  last_error: z
    .string()
    .nullable()
    .describe(
      'Problem code of the last failed probe, followed by a colon and the reason if there is one. Null if the last probe passed.',
    ),
  response_time_ms: z
    .int()
    .nullable()
    .describe('Duration of the last probe in milliseconds. Null if unknown.'),
  version: z.string().nullable().describe('Version reported by the node. Null until it is reported.'),
  certificate_days_left: z
    .int()
    .nullable()
    .describe('Days until the TLS certificate expires. Negative if it has expired. Null if unknown.'),
});

export const GatewayOverview = z.strictObject({
  id: Id.describe('Identifier of the gateway.'),
  name: z.string().describe('Name of the gateway.'),
  sites: z.array(Id).describe('Identifiers of the sites that it serves, within the scope of the caller.'),
  enabled: z.boolean().describe('If false, the gateway receives no connections.'),
  maintenance: z.boolean().describe('If true, the gateway receives no new connections.'),
  state: z
    .enum(['online', 'offline', 'unknown'])
    .describe(
      'State by heartbeats: `online`: received in the last 60 seconds; `offline`: not received in that time; `unknown`: never received.',
    ),
  last_seen_at: Moment.nullable().describe('Time of the last heartbeat. Null before the first.'),
  connections: z.int().describe('Number of open tunnels as of the last heartbeat.'),
});

export const FailureGroup = z.strictObject({
  code: z
    .string()
    .describe(
      'Code of the monitoring records, such as `dispatcher_fail`. Empty for records of administrators.',
    ),
  source: z.string().describe('Part of the installation that failed, such as `dispatcher`.'),
  cause: z
    .string()
    .describe(
      'Cause of the failures: a problem code, followed by a colon and the reason if there is one; or the text of records of agents and administrators. Empty if the code is the cause.',
    ),
  level: z.enum(['error', 'critical']).describe('Highest severity of the records: `error` or `critical`.'),
  count: z.int().describe('Number of records.'),
  first_at: Moment.describe('Time of the first record.'),
  last_at: Moment.describe('Time of the latest record.'),
  message: z.string().describe('Text of the latest record, in English.'),
  objects_count: z.int().describe('Number of objects that the records concern.'),
  objects: z
    .array(
      z.strictObject({
        type: z
          .string()
          .nullable()
          .describe('Type of the object, as in operation identifiers. Null if unknown.'),
        id: z.string().describe('Identifier of the object.'),
        name: z.string().nullable().describe('Name of the object. Null if unknown.'),
      }),
    )
    .describe('Objects that the records concern, at most ten.'),
});
