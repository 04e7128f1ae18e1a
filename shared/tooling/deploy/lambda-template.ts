import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { modules } from '../../modules.ts';
import { type EdgeModule, edgeModules, root } from '../build/bundles.ts';
import { apiResources, logicalName } from './lambda-api.ts';
import { type SecretGroup, secretsOf, variablesIn } from './module-secrets.ts';

/** Where the template stands in the tree. */
export const templateFile = join(root, 'functions', 'deploy', 'lambda.yaml');

/** What a function may use. CPU grows with memory: a whole core, which hashing wants, comes with 1769 MB. */
export type FunctionSize = { memoryMb: number; timeoutS: number; streams: boolean };

const small: FunctionSize = { memoryMb: 512, timeoutS: 29, streams: false };
const sizes: Partial<Record<EdgeModule, FunctionSize>> = {
  aggregator: { ...small, streams: true },
  auth: { ...small, memoryMb: 1769 },
  client: { ...small, memoryMb: 1024, streams: true },
  userinfo: { ...small, memoryMb: 1024 },
  // A file of exports goes out as long as API Gateway waits for one.
  webui: { memoryMb: 1024, timeoutS: 900, streams: true },
};

export const sizeOf = (module: EdgeModule): FunctionSize => sizes[module] ?? small;

/** The whole stack as a CloudFormation template (YAML), made from the table of modules. */
export function lambdaTemplate(): string {
  const template = {
    AWSTemplateFormatVersion: '2010-09-09',
    Description:
      'Aggregator portal: a Lambda function a module behind one REST API; the sidecar runs elsewhere',
    Parameters: parameters,
    Conditions: conditions,
    Resources: {
      ...Object.assign({}, ...edgeModules.map(functionResources)),
      ...reportResources,
      ...apiResources(edgeModules.map((module) => ({ module, ...sizeOf(module), paths: pathsOf(module) }))),
    },
    Outputs: outputs,
  };
  // CloudFormation reads YAML 1.1, in which yes, no and dates are no texts.
  const options = { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false } as const;
  return `${head}${stringify(template, options)}`;
}

const head = `# Made by \`npm run build\` from shared/modules.ts and shared/tooling/deploy/lambda-template.ts; README.md beside it says
# how it is deployed.
`;

const pathsOf = (module: EdgeModule): readonly string[] =>
  modules.find(({ name }) => name === module)?.paths ?? [];

const text = (Description: string, Default?: string) => ({
  Type: 'String',
  Description,
  ...(Default !== undefined && { Default }),
});
const choice = (Description: string, ...AllowedValues: [string, ...string[]]) => ({
  ...text(Description, AllowedValues[0]),
  AllowedValues,
});

const parameters = {
  DomainName: text('Public host of the portal; BASE_URL is https:// and this'),
  CertificateArn: text('Certificate of that host in ACM, in the region of the stack'),
  SecretArn: text('Secret of Secrets Manager: a JSON object of the variables that are secret'),
  HasSecondSigningKey: choice('The secret has AGGREGATOR_JWT_SSL_KEY_SECOND', 'no', 'yes'),
  HasObjectStore: choice('The secret has the five S3_ variables', 'no', 'yes'),
  HasRdpSigning: choice('The secret has RDP_SIGNING_CERT and RDP_SIGNING_KEY', 'no', 'yes'),
  PortalType: choice('PORTAL_TYPE', 'universal', 'admin', 'user'),
  Hsts: choice('HSTS', 'on', 'off'),
  DatabaseDriver: choice('DATABASE_DRIVER', 'pg', 'neon'),
  AllowedPrivateNetworks: text('ALLOWED_PRIVATE_NETWORKS', ''),
  LogLevel: choice('LOG_LEVEL', 'info', 'debug', 'warn', 'error'),
  LogRetentionDays: { ...text('Days that logs are kept', '30'), Type: 'Number' },
  MaxSessionAgents: {
    ...text('Instances of ssa: each session agent that waits holds one', '200'),
    Type: 'Number',
  },
  MaxInstances: { ...text('Instances of each function; each has up to 2 connections', '20'), Type: 'Number' },
  SubnetIds: {
    ...text('Subnets from which the database is reached; none for a public one', ''),
    Type: 'CommaDelimitedList',
  },
  SecurityGroupIds: {
    ...text('Security groups of the functions, with SubnetIds', ''),
    Type: 'CommaDelimitedList',
  },
  KmsKeyArn: text('Key that encrypts the variables of the functions; that of Lambda unless told', ''),
};

const isYes = (parameter: string) => ({ 'Fn::Equals': [{ Ref: parameter }, 'yes'] });
const isGiven = (value: object) => ({ 'Fn::Not': [{ 'Fn::Equals': [value, ''] }] });

const groupConditions: Record<SecretGroup, object> = {
  SecondSigningKey: isYes('HasSecondSigningKey'),
  ObjectStore: isYes('HasObjectStore'),
  RdpSigning: isYes('HasRdpSigning'),
};
const conditions = {
  ...groupConditions,
  InVpc: isGiven({ 'Fn::Join': ['', { Ref: 'SubnetIds' }] }),
  OwnKey: isGiven({ Ref: 'KmsKeyArn' }),
  PrivateNetworks: isGiven({ Ref: 'AllowedPrivateNetworks' }),
};

/** One module reports the portal, as its cron trigger does on Workers; two minutes of silence make it offline. */
const reportResources = {
  ReportRule: {
    Type: 'AWS::Events::Rule',
    Properties: {
      Description: 'The portal reports itself',
      ScheduleExpression: 'rate(1 minute)',
      Targets: [{ Id: 'aggregator', Arn: { 'Fn::GetAtt': ['AggregatorFunction', 'Arn'] } }],
    },
  },
  ReportPermission: {
    Type: 'AWS::Lambda::Permission',
    Properties: {
      FunctionName: { Ref: 'AggregatorFunction' },
      Action: 'lambda:InvokeFunction',
      Principal: 'events.amazonaws.com',
      SourceArn: { 'Fn::GetAtt': ['ReportRule', 'Arn'] },
    },
  },
};

const outputs = {
  Target: {
    Description: 'What a CNAME or alias record of the host points to',
    Value: { 'Fn::GetAtt': ['Domain', 'RegionalDomainName'] },
  },
};

const onlyIf = (condition: string, value: unknown) => ({
  'Fn::If': [condition, value, { Ref: 'AWS::NoValue' }],
});

function functionResources(module: EdgeModule): Record<string, unknown> {
  const name = logicalName(module);
  const { memoryMb, timeoutS } = sizeOf(module);
  return {
    [`${name}Function`]: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        Description: modules.find((facts) => facts.name === module)?.purpose,
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        // All bundles and their assets are one archive; `aws cloudformation package` puts it into a bucket.
        Code: '../../dist/lambda',
        Handler: `${module}.handler`,
        MemorySize: memoryMb,
        Timeout: timeoutS,
        ReservedConcurrentExecutions: { Ref: module === 'ssa' ? 'MaxSessionAgents' : 'MaxInstances' },
        Role: { 'Fn::GetAtt': [`${name}Role`, 'Arn'] },
        LoggingConfig: { LogGroup: { Ref: `${name}Logs` } },
        KmsKeyArn: onlyIf('OwnKey', { Ref: 'KmsKeyArn' }),
        VpcConfig: onlyIf('InVpc', {
          SubnetIds: { Ref: 'SubnetIds' },
          SecurityGroupIds: { Ref: 'SecurityGroupIds' },
        }),
        Environment: { Variables: variablesOf(module) },
      },
    },
    [`${name}Role`]: roleOf(name),
    [`${name}Logs`]: {
      Type: 'AWS::Logs::LogGroup',
      Properties: { RetentionInDays: { Ref: 'LogRetentionDays' } },
    },
  };
}

/** Resolved when the stack is deployed: a function needs no right to read the secret, and gets its own part of it. */
const secret = (name: string) => ({
  'Fn::Sub': `{{resolve:secretsmanager:\${SecretArn}:SecretString:${name}}}`,
});

function variablesOf(module: EdgeModule): Record<string, unknown> {
  const { required, groups } = secretsOf(module);
  return {
    BASE_URL: { 'Fn::Join': ['', ['https://', { Ref: 'DomainName' }]] },
    PORTAL_TYPE: { Ref: 'PortalType' },
    HSTS: { Ref: 'Hsts' },
    DATABASE_DRIVER: { Ref: 'DatabaseDriver' },
    ALLOWED_PRIVATE_NETWORKS: onlyIf('PrivateNetworks', { Ref: 'AllowedPrivateNetworks' }),
    LOG_LEVEL: { Ref: 'LogLevel' },
    ...Object.fromEntries([
      ...required.map((name) => [name, secret(name)]),
      ...groups.flatMap((group) => variablesIn(group).map((name) => [name, onlyIf(group, secret(name))])),
    ]),
  };
}

const allow = (Action: readonly string[], Resource: unknown) => ({ Effect: 'Allow', Action, Resource });

/** It may write its own log, and have an address in the network of the database where there is one. */
const roleOf = (name: string) => ({
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: {
      Version: '2012-10-17',
      Statement: [
        { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' },
      ],
    },
    Policies: [
      {
        PolicyName: 'function',
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: [
            allow(['logs:CreateLogStream', 'logs:PutLogEvents'], { 'Fn::GetAtt': [`${name}Logs`, 'Arn'] }),
            // AWS knows no narrower resource for the interfaces of a function.
            onlyIf('InVpc', allow(networkActions, '*')),
          ],
        },
      },
    ],
  },
});
const networkActions = [
  'ec2:CreateNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:DeleteNetworkInterface',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
];

/** Brings the file of the tree up to the table of modules. */
export const writeTemplate = (): Promise<void> => writeFile(templateFile, lambdaTemplate());
