import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type Config, parseConfig } from '../../shared/runtime/config/config.ts';
import type { Scope } from '../../shared/runtime/config/declaration.ts';
import { names } from '../../shared/runtime/config/variables.ts';
import type { EdgeConfig } from '../../shared/runtime/edge/config.ts';
import { edgeModules, root } from '../../shared/tooling/build/bundles.ts';

/** The programs of each scope, by entry point. */
const programs: Readonly<Record<Scope, readonly string[]>> = {
  portal: ['functions/all.ts'],
  sidecar: ['functions/health/main.ts'],
  workers: edgeModules.map((module) => `functions/${module}/worker.ts`),
  lambda: edgeModules.map((module) => `functions/${module}/lambda.ts`),
  tooling: ['admin/admin', 'migrate', 'deploy/deploy', 'workers/workers'].map(
    (name) => `shared/tooling/${name}.ts`,
  ),
};

/** The code that parses the variables reads all of them, for every program. */
const parsers = /^shared\/runtime\/(?:config\/|edge\/config\.ts$)|^shared\/tooling\/start\/settings\.ts$/;

/** The files of our own that are in the bundles of the programs after tree shaking. */
async function filesOf(entries: readonly string[]): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...entries],
    outdir: join(root, 'dist'),
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    external: ['cloudflare:*'],
    logLevel: 'error',
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  // Texts in JSON files name variables, and read none.
  return [...new Set(used)].filter((path) => !parsers.test(path) && !path.endsWith('.json'));
}

type Member = keyof Config | keyof EdgeConfig;

/** Members of the parsed configuration that have another name than their variables. */
const renamed: readonly (readonly [variable: RegExp, ...members: Member[]])[] = [
  [/^S3_/, 's3'],
  [/^RDP_SIGNING_/, 'rdpSigning'],
  [/^SECRET_KEY$/, 'secretKey', 'secretKeys'],
  [/^AGGREGATOR_JWT_SSL_KEY$/, 'aggregatorJwtSslKey', 'signingKeys'],
  [/^AGGREGATOR_JWT_SSL_KEY_SECOND$/, 'aggregatorJwtSslKeySecond', 'signingKeys'],
  [/^ALLOWED_PRIVATE_NETWORKS$/, 'allowedPrivateNetworks', 'outbound'],
  [/^ALLOW_INSECURE_DISPATCHERS$/, 'allowInsecureDispatchers', 'outbound'],
];

/** The members of the parsed configuration that a variable sets. */
export function membersOf(name: string): readonly Member[] {
  const [, ...members] = renamed.find(([variable]) => variable.test(name)) ?? [/^/];
  if (members.length > 0) return members;
  const camel = name.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const member = nodeMembers.find((one) => one === camel);
  if (member === undefined) throw new Error(`no member of the configuration has the variable ${name}`);
  return [member];
}

const nodeMembers = Object.keys(parseConfig({})) as (keyof Config)[];

const withoutComments = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

/** Names that other objects have as well. They count only where the object is the configuration. */
const isCommon = (member: Member): boolean =>
  member === member.toLowerCase() || ['maxConnections', 'trustProxy'].includes(member);

function readsMember(code: string, member: Member): boolean {
  const patterns = isCommon(member)
    ? [
        `\\b(?:config${['s3', 'outbound'].includes(member) ? '|parts' : ''})\\.${member}\\b`,
        `\\{[^{}]*\\b${member}\\b[^{}]*\\}\\s*(?:: Config\\b|= (?:\\w+\\.)?config\\b)`,
      ]
    : [`\\.${member}\\b`, `\\{[^{}()]*\\b${member}\\b[^{}()]*\\}\\s*(?::|=(?!=))`];
  return new RegExp(patterns.join('|')).test(code);
}

/**
 * True if the code, without texts and regular expressions, reads the variable itself. An object with the variable as a
 * key passes it to another program. The tooling also has lists of quoted names.
 */
function readsVariable({ path, code }: Code, name: string): boolean {
  const texts = path.startsWith('shared/tooling/') ? /'[^'\n]* [^'\n]*'|`[^`]*`/g : /'[^'\n]*'|`[^`]*`/g;
  const plain = code.replaceAll(texts, "''").replaceAll(/\/(?:[^/\\\n]|\\.)+\/[a-z]*(?=[.;,)])/g, "''");
  return new RegExp(`\\b${name}\\b(?!:)|\\b${name}: (?:true\\b|\\(\\) =>|\\w+(?: = \\w+)?[,\\s}])`).test(
    plain,
  );
}

type Code = { path: string; code: string };

/** For each scope, the variables that its programs read. */
export async function variablesRead(scope: Scope): Promise<string[]> {
  const files = await filesOf(programs[scope]);
  const codes = files.map((path) => ({
    path,
    code: withoutComments(readFileSync(join(root, path), 'utf8')),
  }));
  return names.filter((name) =>
    codes.some(
      (file) => readsVariable(file, name) || membersOf(name).some((member) => readsMember(file.code, member)),
    ),
  );
}
