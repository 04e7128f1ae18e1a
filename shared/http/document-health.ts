import type { ErrorCode } from '../kernel/errors.ts';
import { problemName } from './document-problems.ts';
import type { Schema } from './document-schemas.ts';

/** The health endpoints are answered by a process of their own, which is no module of the portal; so is their description. */
const component: Schema = {
  type: 'object',
  properties: {
    componentId: { type: 'string' },
    componentType: { enum: ['component', 'datastore'] },
    observedValue: { type: 'number', description: 'Of the database: seconds' },
    observedUnit: { const: 's' },
    status: { enum: ['pass', 'fail'] },
    state: {
      enum: ['pass', 'fail', 'maintenance', 'disabled', 'unknown'],
      description: 'State of a site. Its `status` is `fail` only in the state `fail`.',
    },
  },
  required: ['componentId', 'componentType', 'status'],
};
const checks = [
  'celery:connectionTest',
  'database:responseTime',
  'messages_broker:connectionTest',
  'fluentd:connectionTest',
  'sites:connectionTest',
];

export const healthSchemas: Record<string, Schema> = {
  HealthComponent: component,
  HealthReport: {
    type: 'object',
    properties: {
      version: { const: '7.0' },
      description: { const: 'aggregator' },
      status: { enum: ['pass', 'fail'] },
      checks: {
        type: 'object',
        properties: Object.fromEntries(
          checks.map((name) => [
            name,
            { type: 'array', items: { $ref: '#/components/schemas/HealthComponent' } },
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

/** A site without a node that answers makes the whole report fail. */
const failing = {
  ...example,
  status: 'fail',
  checks: {
    ...example.checks,
    'sites:connectionTest': [
      passing,
      { componentId: 'north', componentType: 'component', status: 'fail', state: 'fail' },
    ],
  },
};

const reportOf = (shown: object) => ({
  'application/json': { schema: { $ref: '#/components/schemas/HealthReport' }, example: shown },
});

/** Paths that another server answers than the rest of the document; `servers` of their path items. */
export const healthServers = [
  {
    url: 'https://{host}:{health_port}',
    description: 'The health port, in production or on a test stand',
    variables: { host: { default: 'localhost' }, health_port: { default: '8100' } },
    'x-internal': true,
  },
];
export const isOnHealthPort = (path: string): boolean => path.startsWith('/aggregator/health/');

export const healthOperations = [
  operation('check', 'State of the installation: general indicators and numeric metrics', 'HealthCheckKey', {
    200: { description: 'The status is `pass`', content: reportOf(example) },
    503: { description: 'The status is `fail`', content: reportOf(failing) },
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
