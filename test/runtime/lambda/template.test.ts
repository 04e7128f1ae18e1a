import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { modules } from '../../../shared/modules.ts';
import { edgeNames } from '../../../shared/runtime/edge/config.ts';
import { edgeModules, root } from '../../../shared/tooling/build/bundles.ts';
import { logicalName } from '../../../shared/tooling/deploy/lambda-api.ts';
import { lambdaTemplate, templateFile } from '../../../shared/tooling/deploy/lambda-template.ts';
import { danglingReferences, specificationFaults } from '../../support/lambda/cloudformation.ts';
import type { Json } from '../../support/portal.ts';

/** Output of `aws cloudformation package`: the archive is in a bucket. */
function packaged(): Json {
  const template = parse(lambdaTemplate(), { version: '1.1' });
  for (const { Type, Properties } of Object.values<Json>(template.Resources))
    if (Type === 'AWS::Lambda::Function') Properties.Code = { S3Bucket: 'bucket', S3Key: 'archive' };
  return template;
}

const template = packaged();
const properties = (name: string): Json => template.Resources[name].Properties;
const paths: Json = properties('Api').Body.paths;
const integrationOf = (path: string): Json =>
  paths[path]['x-amazon-apigateway-any-method']['x-amazon-apigateway-integration'];

describe('the CloudFormation template for Lambda', () => {
  it('is equal to the output of `npm run build`', () => {
    expect(readFileSync(templateFile, 'utf8')).toBe(lambdaTemplate());
  });

  it('matches the AWS specification of each resource', () => {
    expect(specificationFaults(template)).toEqual([]);
    const wrong = packaged();
    wrong.Resources.AuthFunction.Properties.Timeout = 'long';
    wrong.Resources.AuthFunction.Properties.Memory = 1;
    delete wrong.Resources.AuthRole.Properties.AssumeRolePolicyDocument;
    expect(specificationFaults(wrong)).toEqual([
      'AuthFunction.Memory: unknown',
      'AuthFunction.Timeout: no integer',
      'AuthRole.AssumeRolePolicyDocument: required',
    ]);
  });

  it('quotes texts that YAML 1.1, which CloudFormation uses, would read as booleans and dates', () => {
    expect(template.Parameters.HasObjectStore).toMatchObject({ Default: 'no', AllowedValues: ['no', 'yes'] });
    expect(properties('AuthRole').AssumeRolePolicyDocument.Version).toBe('2012-10-17');
  });

  it('invokes the module that reports the portal every minute, by the rule only', () => {
    const { ScheduleExpression, Targets } = properties('ReportRule');
    expect([ScheduleExpression, Targets]).toEqual([
      'rate(1 minute)',
      [{ Id: 'aggregator', Arn: { 'Fn::GetAtt': ['AggregatorFunction', 'Arn'] } }],
    ]);
    expect(properties('ReportPermission')).toMatchObject({
      Principal: 'events.amazonaws.com',
      SourceArn: { 'Fn::GetAtt': ['ReportRule', 'Arn'] },
    });
  });

  it('has no dangling references', () => {
    expect(danglingReferences(template)).toEqual([]);
    const wrong = packaged();
    wrong.Outputs.Target.Value = { Ref: 'Nothing' };
    wrong.Resources.AuthFunction.Properties.Role = { 'Fn::Sub': `\${Nobody.Arn}` };
    expect(danglingReferences(wrong).sort()).toEqual(['Nobody', 'Nothing']);
  });
});

describe.each([...edgeModules])('the function of %s', (module) => {
  const name = logicalName(module);
  const streams = readFileSync(join(root, 'functions', module, 'lambda.ts'), 'utf8').includes(
    'streamingLambdaOf',
  );

  it('answers on the paths of its module, with streaming when its handler streams', () => {
    const starts = modules.find((facts) => facts.name === module)?.paths ?? [];
    const rest = module === 'discover' ? ['/', '/{proxy+}'] : [];
    for (const path of [...starts.flatMap((start) => [start, `${start}/{proxy+}`]), ...rest]) {
      const { uri, responseTransferMode, type } = integrationOf(path);
      expect([path, type, responseTransferMode]).toEqual([
        path,
        'aws_proxy',
        streams ? 'STREAM' : 'BUFFERED',
      ]);
      expect(uri['Fn::Sub']).toContain(`\${${name}Function.Arn}`);
      expect(uri['Fn::Sub'].endsWith('/response-streaming-invocations')).toBe(streams);
    }
  });

  it('has a timeout that suffices for its answer and is not above that of API Gateway', () => {
    const { Timeout, Handler } = properties(`${name}Function`);
    expect(Handler).toBe(`${module}.handler`);
    const start = modules.find((facts) => facts.name === module)?.paths[0] ?? '';
    expect(integrationOf(start).timeoutInMillis).toBe(Timeout * 1000);
    expect(Timeout).toBeLessThanOrEqual(streams ? 900 : 29);
  });

  it('gets variables that it reads, and secrets by reference only', () => {
    const { Variables } = properties(`${name}Function`).Environment;
    expect(Object.keys(Variables).filter((variable) => !edgeNames.includes(variable))).toEqual([]);
    const open = [
      'BASE_URL',
      'PORTAL_TYPE',
      'HSTS',
      'DATABASE_DRIVER',
      'ALLOWED_PRIVATE_NETWORKS',
      'WEBHOOK_NETWORKS',
      'LOG_LEVEL',
    ];
    for (const [variable, value] of Object.entries(Variables))
      if (!open.includes(variable)) expect(JSON.stringify(value)).toContain(`SecretString:${variable}}}`);
  });

  it('may only write its log and, in a network, use an address there', () => {
    const [{ PolicyDocument }, ...others] = properties(`${name}Role`).Policies;
    expect(others).toEqual([]);
    const [logs, { 'Fn::If': network }, ...more] = PolicyDocument.Statement;
    expect(more).toEqual([]);
    expect(logs).toEqual({
      Effect: 'Allow',
      Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      Resource: { 'Fn::GetAtt': [`${name}Logs`, 'Arn'] },
    });
    expect([network[0], network[2]]).toEqual(['InVpc', { Ref: 'AWS::NoValue' }]);
    for (const action of network[1].Action)
      expect(action).toMatch(/^ec2:.*(NetworkInterfaces?|Subnets|IpAddresses)$/);
    const { SourceArn, Principal } = properties(`${name}Permission`);
    expect([Principal, SourceArn['Fn::Sub']]).toEqual([
      'apigateway.amazonaws.com',
      expect.stringMatching(/:\$\{Api\}\/\*$/),
    ]);
  });
});
