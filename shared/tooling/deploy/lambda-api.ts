import { createHash } from 'node:crypto';

/** A function as API Gateway sees it; `paths` are where its endpoints start. */
export type ServedFunction = {
  module: string;
  paths: readonly string[];
  timeoutS: number;
  /** Its answers go out as they are made. */
  streams: boolean;
};

/**
 * One REST API for all functions, on a host of its own. Of the kinds of APIs this one can stream, and it tells a function
 * who asks: behind a function URL with a distribution in front, every request would seem to come from that one.
 */
export function apiResources(functions: readonly ServedFunction[]): Record<string, unknown> {
  const body = bodyOf(functions);
  // A deployment never changes: another set of routes is another deployment.
  const deployment = `Deployment${createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 12)}`;
  return {
    Api: {
      Type: 'AWS::ApiGateway::RestApi',
      Properties: {
        Name: { Ref: 'AWS::StackName' },
        EndpointConfiguration: { Types: ['REGIONAL'] },
        // The only way in is the host: cookies and links belong to it.
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

/** How the resources of a module begin. */
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

/** What belongs to no module is answered by the one that knows them all. */
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
    // Every body travels in base64, pictures included.
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

/** The action that streams is another one, of another version of Lambda's API. */
const uriOf = (name: string, streams: boolean) => ({
  'Fn::Sub': `arn:\${AWS::Partition}:apigateway:\${AWS::Region}:lambda:path/${
    streams ? '2021-11-15' : '2015-03-31'
  }/functions/\${${name}.Arn}/${streams ? 'response-streaming-invocations' : 'invocations'}`,
});
