import type { ErrorCode } from '../../kernel/errors.ts';
import { problemName } from './problems.ts';
import type { Schema } from './schemas.ts';

/**
 * The health endpoints are served by a separate process, which is not a module of the portal. They are described here.
 */
const version = { const: '7.0', description: 'Version of the health format.' };
const status = {
  enum: ['pass', 'fail'],
  description: 'Result of the check, or overall result: `pass` or `fail`.',
};

const component: Schema = {
  type: 'object',
  properties: {
    componentId: { type: 'string', description: 'Name of the component. For a site, its `uri`.' },
    componentType: {
      enum: ['component', 'datastore'],
      description: 'Type of the component: `datastore` for the database, otherwise `component`.',
    },
    observedValue: {
      type: 'number',
      description: 'Duration of a query in seconds. Present for the database only.',
    },
    observedUnit: { const: 's', description: 'Unit of `observedValue`: seconds.' },
    status,
    state: {
      enum: ['pass', 'fail', 'maintenance', 'disabled', 'unknown'],
      description:
        'State: `pass`, `fail`, `maintenance`, `disabled` or `unknown` (a site without nodes, or not checked yet). `status` is `fail` only in the state `fail`.',
    },
  },
  required: ['componentId', 'componentType', 'status', 'state'],
};
const entries: Record<string, string> = {
  'celery:connectionTest': 'State of the job queue and of each running worker.',
  'database:responseTime': 'State of the database.',
  'messages_broker:connectionTest': 'State of the broker of the job queue.',
  'fluentd:connectionTest': 'State of the log forwarder. Empty if none is configured.',
  'sites:connectionTest': 'State of each site, from the last probes.',
};
const checks = Object.keys(entries);

export const healthSchemas: Record<string, Schema> = {
  HealthComponent: component,
  HealthReport: {
    type: 'object',
    properties: {
      version,
      description: { const: 'aggregator', description: 'Name of the checked component.' },
      status,
      checks: {
        type: 'object',
        description: 'Results of the individual checks.',
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
  HealthSummary: {
    type: 'object',
    properties: { version, status },
    required: ['version', 'status'],
  },
};

const passing = { componentId: 'default', componentType: 'component', status: 'pass', state: 'pass' };
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
  HealthCheckKey: key('value of HEALTH_CHECK_ACCESS_KEY'),
  MetricsKey: key('value of METRICS_ACCESS_KEY'),
};

type Problems = [status: number, codes: ErrorCode[]][];

const internal: Problems = [[500, ['internal']]];
const keyProblems: Problems = [[401, ['invalid_token', 'unauthenticated']], ...internal];
const urlKeyProblems: Problems = [[404, ['not_found']], [429, ['rate_limited']], ...internal];

/** The problems of the health port by status. */
export const healthProblems: Problems = [...keyProblems, ...urlKeyProblems];

/** A site without a responding node makes the status of the whole report `fail`. */
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

/** `servers` of path items that another server than that of the document serves. */
export const healthServers = [
  {
    url: 'https://{host}:{health_port}',
    description: 'The health port of this portal (production or test)',
    variables: { host: { default: 'localhost' }, health_port: { default: '8100' } },
    'x-internal': true,
  },
];
export const isOnHealthPort = (path: string): boolean => path.startsWith('/aggregator/health/');

const summary = {
  'application/json': {
    schema: { $ref: '#/components/schemas/HealthSummary' },
    example: { version: '7.0', status: 'pass' },
  },
};

const urlKeyParameters = [
  {
    name: 'key',
    in: 'path',
    required: true,
    description: 'Value of HEALTH_CHECK_URL_KEY.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{32,256}$', maxLength: 256 },
  },
  {
    name: 'site',
    in: 'query',
    required: false,
    description: '`uri` of the site whose status is returned. Default: the status of the installation.',
    schema: { type: 'string', maxLength: 63 },
  },
];

export const healthOperations = [
  operation({
    name: 'check',
    summary: 'Check the health of the installation',
    description: 'Served on the health port. Requires an access key instead of a session.',
    security: [{ HealthCheckKey: [] }],
    problems: keyProblems,
    answers: {
      200: { description: 'The status is `pass`', content: reportOf(example) },
      503: { description: 'The status is `fail`', content: reportOf(failing) },
    },
  }),
  operation({
    name: 'summary',
    path: 'check/{key}',
    summary: 'Read the status of the installation or of one site',
    description:
      'For monitoring systems that cannot send headers. Served on the health port. The status is 404 if the key is wrong or not configured, or if the site does not exist. Limited to 600 requests per minute and network.',
    security: [],
    parameters: urlKeyParameters,
    problems: urlKeyProblems,
    answers: {
      200: { description: 'The status is `pass`', content: summary },
      503: { description: 'The status is `fail`', content: summary },
    },
  }),
  operation({
    name: 'metrics',
    summary: 'Get metrics in the Prometheus text format',
    description: 'Served on the health port. Requires an access key instead of a session.',
    security: [{ MetricsKey: [] }],
    problems: keyProblems,
    answers: { 200: { description: 'Success', content: { 'text/plain': { schema: { type: 'string' } } } } },
  }),
];

type Described = {
  name: string;
  /** Default: the name. */
  path?: string;
  summary: string;
  description: string;
  security: object[];
  parameters?: object[];
  problems: Problems;
  answers: Record<number, object>;
};

function operation({ name, path = name, parameters = [], problems, answers, ...rest }: Described) {
  return {
    method: 'get',
    path: `/aggregator/health/${path}`,
    operationId: `health.${name}`,
    tags: ['health'],
    ...rest,
    parameters: [...parameters, { $ref: '#/components/parameters/X-Request-Id' }],
    responses: {
      ...answers,
      ...Object.fromEntries(
        problems.map(([code, codes]) => [
          code,
          { $ref: `#/components/responses/${problemName(code, codes)}` },
        ]),
      ),
    },
  };
}
