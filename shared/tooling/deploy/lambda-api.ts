import { createHash } from 'node:crypto';

/** A function for API Gateway; `paths` are the prefixes of its endpoints. */
export type ServedFunction = {
  module: string;
  paths: readonly string[];
  timeoutS: number;
  /** True if responses are streamed. */
  streams: boolean;
};

/**
 * One REST API for all functions, with its own host name. Among the API types, a REST API supports streaming and
 * passes the client address to the function. With a function URL behind a distribution, all requests would have the
 * address of the distribution.
 */
export function apiResources(functions: readonly ServedFunction[]): Record<string, unknown> {
  const body = bodyOf(functions);
  // A deployment is immutable, so another set of routes needs another logical id.
  const deployment = `Deployment${createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 12)}`;
  return {
    Api: {
      Type: 'AWS::ApiGateway::RestApi',
      Properties: {
        Name: { Ref: 'AWS::StackName' },
        EndpointConfiguration: { Types: ['REGIONAL'] },
        // Only the host name is allowed, because cookies and links depend on it.
        DisableExecuteApiEndpoint: true,
        Body: body,
      },
    },
    [deployment]: {
      Type: 'AWS::ApiGateway::Deployment',
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: { RestApiId: { Ref: 'Api' } },
    },
    Stage: {
      Type: 'AWS::ApiGateway::Stage',
      Properties: { RestApiId: { Ref: 'Api' }, DeploymentId: { Ref: deployment }, StageName: 'live' },
    },
    ...host,
    ...Object.assign({}, ...functions.map(permissionOf)),
  };
}

const host = {
  Domain: {
    Type: 'AWS::ApiGateway::DomainName',
    Properties: {
      DomainName: { Ref: 'DomainName' },
      RegionalCertificateArn: { Ref: 'CertificateArn' },
      EndpointConfiguration: { Types: ['REGIONAL'] },
      SecurityPolicy: 'TLS_1_2',
    },
  },
  Mapping: {
    Type: 'AWS::ApiGateway::BasePathMapping',
    Properties: { DomainName: { Ref: 'Domain' }, RestApiId: { Ref: 'Api' }, Stage: { Ref: 'Stage' } },
  },
};

/** Prefix of the logical ids of a module. */
export const logicalName = (module: string): string => module.charAt(0).toUpperCase() + module.slice(1);

const permissionOf = ({ module }: ServedFunction): Record<string, unknown> => ({
  [`${logicalName(module)}Permission`]: {
    Type: 'AWS::Lambda::Permission',
    Properties: {
      FunctionName: { Ref: `${logicalName(module)}Function` },
      Action: 'lambda:InvokeFunction',
      Principal: 'apigateway.amazonaws.com',
      SourceArn: {
        'Fn::Sub': `arn:\${AWS::Partition}:execute-api:\${AWS::Region}:\${AWS::AccountId}:\${Api}/*`,
      },
    },
  },
});

/** The module that handles all other paths. */
const restOf = 'discover';

function bodyOf(functions: readonly ServedFunction[]): Record<string, unknown> {
  const paths = functions.flatMap((served) => {
    const starts = served.module === restOf ? [...served.paths, ''] : served.paths;
    return starts.flatMap((start) => [
      [start || '/', anyMethod(served)],
      [`${start}/{proxy+}`, { ...anyMethod(served), parameters: [proxy] }],
    ]);
  });
  return {
    openapi: '3.0.1',
    info: { title: 'Aggregator portal', version: '7.0' },
    // All bodies are encoded in base64, including pictures.
    'x-amazon-apigateway-binary-media-types': ['*/*'],
    paths: Object.fromEntries(paths),
  };
}

const proxy = { name: 'proxy', in: 'path', required: true, schema: { type: 'string' } };

const anyMethod = ({ module, timeoutS, streams }: ServedFunction) => ({
  'x-amazon-apigateway-any-method': {
    responses: {},
    'x-amazon-apigateway-integration': {
      type: 'aws_proxy',
      httpMethod: 'POST',
      uri: uriOf(`${logicalName(module)}Function`, streams),
      timeoutInMillis: timeoutS * 1000,
      responseTransferMode: streams ? 'STREAM' : 'BUFFERED',
    },
  },
});

/** Streaming uses another action of a newer version of Lambda's API. */
const uriOf = (name: string, streams: boolean) => ({
  'Fn::Sub': `arn:\${AWS::Partition}:apigateway:\${AWS::Region}:lambda:path/${
    streams ? '2021-11-15' : '2015-03-31'
  }/functions/\${${name}.Arn}/${streams ? 'response-streaming-invocations' : 'invocations'}`,
});
