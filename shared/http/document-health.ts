import type { ErrorCode } from '../kernel/errors.ts';
import { problemName } from './document-problems.ts';
import type { Schema } from './document-schemas.ts';

/** The health endpoints are answered by a process of their own, which is no module of the portal; so is their description. */
const component: Schema = {
  type: 'object',
  properties: {
    componentId: { type: 'string', description: 'Name of the component; of a site its `uri`.' },
    componentType: {
      enum: ['component', 'datastore'],
      description: 'Kind of the component: `datastore` for the database, otherwise `component`.',
    },
    observedValue: {
      type: 'number',
      description: 'Duration of a query in seconds. Present for the database only.',
    },
    observedUnit: { const: 's', description: 'Unit of `observedValue`: seconds.' },
    status: { enum: ['pass', 'fail'], description: 'Result of the check: `pass` or `fail`.' },
    state: {
      enum: ['pass', 'fail', 'maintenance', 'disabled', 'unknown'],
      description:
        'State of a site: `pass`, `fail`, `maintenance`, `disabled` or `unknown` (no farm, no node or no probe). Its `status` is `fail` only in the state `fail`.',
    },
  },
  required: ['componentId', 'componentType', 'status'],
};
const entries: Record<string, string> = {
  'celery:connectionTest': 'The job queue and each live worker.',
  'database:responseTime': 'The database.',
  'messages_broker:connectionTest': 'The broker of the job queue.',
  'fluentd:connectionTest': 'The log forwarder. Empty if none is configured.',
  'sites:connectionTest': 'Each site, from the last probes.',
};
const checks = Object.keys(entries);

export const healthSchemas: Record<string, Schema> = {
  HealthComponent: component,
  HealthReport: {
    type: 'object',
    properties: {
      version: { const: '7.0', description: 'Version of the health format.' },
      description: { const: 'aggregator', description: 'Name of the checked component.' },
      status: { enum: ['pass', 'fail'], description: 'Overall result: `pass` or `fail`.' },
      checks: {
        type: 'object',
        description: 'Results of the single checks.',
        properties: Object.fromEntries(
          Object.entries(entries).map(([name, description]) => [
            name,
            { type: 'array', description, items: { $ref: '#/components/schemas/HealthComponent' } },
          ]),
        ),
        required: checks,
      },
    },
    required: ['version', 'description', 'status', 'checks'],
  },
};

const passing = { componentId: 'default', componentType: 'component', status: 'pass' };
const example = {
  version: '7.0',
  description: 'aggregator',
  status: 'pass',
  checks: Object.fromEntries(checks.map((name) => [name, name.startsWith('fluentd') ? [] : [passing]])),
};

const key = (description: string) => ({
  type: 'apiKey',
  in: 'header',
  name: 'Authorization',
  description: `\`Token <key>\`: ${description}`,
});

export const healthSecurity = {
  HealthCheckKey: key('the value of HEALTH_CHECK_ACCESS_KEY'),
  MetricsKey: key('the value of METRICS_ACCESS_KEY'),
};

/** The problems of the health port, by status. */
export const healthProblems: [status: number, codes: ErrorCode[]][] = [
  [401, ['invalid_token', 'unauthenticated']],
  [500, ['internal']],
];

const report = { 'application/json': { schema: { $ref: '#/components/schemas/HealthReport' }, example } };

export const healthOperations = [
  operation('check', 'State of the installation: general indicators and numeric metrics', 'HealthCheckKey', {
    200: { description: 'The status is `pass`', content: report },
    503: { description: 'The status is `fail`', content: report },
  }),
  operation('metrics', 'Metrics in the text format of Prometheus', 'MetricsKey', {
    200: { description: 'Done', content: { 'text/plain': { schema: { type: 'string' } } } },
  }),
];

function operation(
  name: 'check' | 'metrics',
  summary: string,
  scheme: string,
  answers: Record<number, object>,
) {
  return {
    method: 'get',
    path: `/aggregator/health/${name}`,
    operationId: `health.${name}`,
    tags: ['health'],
    summary,
    description: 'Answered on the health port, with an access key instead of a session.',
    servers: [
      {
        url: 'https://{host}:{health_port}',
        description: 'The health port',
        variables: { host: { default: 'localhost' }, health_port: { default: '8100' } },
      },
    ],
    security: [{ [scheme]: [] }],
    parameters: [{ $ref: '#/components/parameters/X-Request-Id' }],
    responses: {
      ...answers,
      ...Object.fromEntries(
        healthProblems.map(([status, codes]) => [
          status,
          { $ref: `#/components/responses/${problemName(status, codes)}` },
        ]),
      ),
    },
  };
}
