import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../shared/tooling/programs.mjs';
import { isForBrowsers } from './floors.ts';
import { type Violation, violation } from './rules.ts';
import { isComment, lineAt, type Source } from './sources.ts';

type TextRule = {
  rule: string;
  pattern: RegExp;
  concerns: (path: string) => boolean;
  /** True when a comment breaks the rule as well. */
  inComments?: true;
};

const isTest = (path: string): boolean => path.startsWith('test/');
const isSource = (path: string): boolean => !isTest(path);

/** Code in a separate process, which belongs to no request. */
const isNodeOnly =
  /^functions\/(?:health\/|all\.ts$)|^shared\/tooling\/|^shared\/runtime\/(?:node\/|edge\/lambda\.ts$)|^shared\/remotes\/[^/]+\/node\.ts$/;

/** This folder contains the patterns and their samples. */
const isJudged = (path: string): boolean => !path.startsWith('test/structure/');

/** Read from its text, because the registry imports most of the product, which takes longer than all rules. */
const registry = readFileSync(join(root, 'shared/identity/domains/registry.ts'), 'utf8');
const [, entries = ''] = /domainTypes = \{\n(.*?)\n\}/s.exec(registry) ?? [];
const [, builtinType = ''] = /builtinType: DomainTypeName = '(\w+)'/.exec(registry) ?? [];
export const domainTypeNames = [...entries.matchAll(/^ {2}(\w+)/gm)].map(([, name = '']) => name);

/** Names without another meaning in the code; the name of the built-in type is the code of an error as well. */
const typeNames = domainTypeNames.filter((name) => name !== builtinType).join('|');
const quotedType = new RegExp(
  [
    `(['"\`])(?:${typeNames})\\1`,
    `[tT]ype(?:s|Name)?\\b[^;'"\`]{0,30}(['"\`])${builtinType}\\2`,
    `(['"\`])${builtinType}\\3\\s*[!=]==?\\s*[\\w.?]*[tT]ype\\b`,
  ].join('|'),
  'g',
);

/** The forms in which a kind without an entry of its own gets a condition that is always true. */
const permissiveDefault = new RegExp(
  [
    // SQL: `case type when … else true end`.
    '\\belse true\\b',
    'default:\\s*(?:\\{\\s*)?return (?:true|undefined|sql`true`)',
    // `scope === '*' || !entry ? undefined : …`: no entry counts as an unrestricted scope.
    "=== '\\*' \\|\\| !\\w+\\)?\\s*(?:\\?\\s*|return )(?:true|undefined|sql`true`)",
    // `conditions[type]?.(scope)`, `conditions[type] ?? true` and `conditions.get(type) ?? sql`true``.
    '\\[[\\w.]*(?:[tT]ype|[kK]ind)\\]\\?\\.\\(',
    '(?:\\[[\\w.]*(?:[tT]ype|[kK]ind)\\]|\\.get\\([\\w.]*(?:[tT]ype|[kK]ind)\\))(?:\\([^()]*\\))?\\s*\\?\\?\\s*(?:true|undefined|sql`true`)',
    '(?:[tT]ype|[kK]ind) [!=]==? [^?;:]*\\?[^:;?]*:\\s*sql`true`',
  ].join('|'),
  'g',
);

const textRules: readonly TextRule[] = [
  {
    // A kind that is added later must get no access until it has a condition of its own.
    rule: 'a condition on kinds is never true by default',
    pattern: permissiveDefault,
    concerns: (path) => isSource(path) && path !== 'shared/client/operations.ts',
  },
  {
    // A comparison treats all other types alike, including future ones.
    rule: 'a domain type is named in shared/identity/domains only',
    pattern: quotedType,
    concerns: (path) =>
      isSource(path) &&
      !path.startsWith('shared/identity/domains/') &&
      path !== 'shared/client/operations.ts',
  },
  {
    rule: 'the environment is read in shared/runtime and shared/tooling only',
    pattern:
      /\bprocess\s*(?:\?\.|\.)\s*env\b|\bprocess\[|\benv\b[^=\n]*\}\s*=\s*process\b|\bimport\.meta\.env\b/g,
    concerns: (path) => isSource(path) && !/^shared\/(?:runtime|tooling)\//.test(path),
  },
  {
    // A promise belongs to the request that created it: on a Worker, another request that awaits it may never continue.
    rule: 'no promise is kept for another request',
    pattern:
      /\b(?:Weak)?(?:Map|Set)<[^;\n]*\bPromise<|^(?:export )?(?:let|const) \w+(?:: [^=\n]*\bPromise<| = (?:new Promise\b|\w+\()[^\n]*\.then\()|\?\?=\s*(?:new Promise\b|(?!new\b|await\b)[\w.]+\((?![^\n]*\bawait\b))/gm,
    concerns: (path) => isSource(path) && !isNodeOnly.test(path) && !isForBrowsers(path),
  },
  {
    // Each copy forgets another case: a password, a trailing dot, brackets, letters of another script.
    rule: 'addresses and hosts from outside are judged in shared/kernel/addresses only',
    pattern:
      /\bz\.(?:url|httpUrl|hostname)\(|\bURL\.(?:canParse|parse)\(|\/\^(?:\(\?:)?(?:https?|ldaps?)\b|\/\^\\\[\|\\\]\$\//g,
    concerns: (path) =>
      isSource(path) &&
      !isForBrowsers(path) &&
      !/^shared\/(?:kernel\/addresses|runtime|tooling)\//.test(path),
  },
  {
    rule: 'no empty catch',
    pattern:
      /\bcatch\s*(?:\([^)]*\)\s*)?\{\s*\}|\.catch\(\s*(?:async\s*)?(?:\([^)]*\)|\w+)\s*=>\s*\{\s*\}\s*,?\s*\)/g,
    concerns: () => true,
  },
  {
    rule: 'nothing is left to do',
    pattern: /\b(?:TODO|FIXME|XXX)\b/g,
    concerns: () => true,
    inComments: true,
  },
  {
    rule: 'no test is skipped or singled out, but by requireService',
    pattern: /\b(?:it|test|describe|suite)(?:\.\w+)*\.(?:skip|skipIf|runIf|only|todo)\b/g,
    concerns: (path) => isTest(path) && path !== 'test/support/services.ts',
  },
];

const vagueNames = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'lib', 'types', 'index']);
const kebab = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Rules about the words in a file. */
export function textViolations(sources: readonly Source[]): Violation[] {
  return sources
    .filter(({ path }) => isJudged(path))
    .flatMap((source) =>
      textRules.filter(({ concerns }) => concerns(source.path)).flatMap((rule) => matchesOf(rule, source)),
    );
}

function matchesOf({ rule, pattern, inComments }: TextRule, { path, text, lines }: Source): Violation[] {
  return [...text.matchAll(pattern)]
    .map((match) => ({ line: lineAt(text, match.index), words: match[0].replace(/\s+/g, ' ') }))
    .filter(({ line }) => inComments || !isComment(lines[line - 1] ?? ''))
    .map(({ line, words }) => violation(rule, path, line, `it says ${words}`));
}

/** Rules about the names of files and folders. */
export function nameViolations(sources: readonly Source[]): Violation[] {
  return sources.flatMap(({ path }) => {
    const names = path
      .split('/')
      .flatMap((part) => (part.includes('.') ? part.split('.').slice(0, 1) : [part]));
    const vague = names.filter((name) => vagueNames.has(name));
    const odd = names.filter((name) => !kebab.test(name));
    return [
      ...vague.map((name) => violation('a name says what a file gives', path, 1, `"${name}" says nothing`)),
      ...odd.map((name) => violation('names are kebab-case', path, 1, `"${name}" is not`)),
    ];
  });
}

const topLevel = [
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'biome.json', 'wrangler.toml', 'README.md'],
  ...['functions', 'shared', 'db', 'test'],
];
/** The deployment to Workers may be absent; everything else is needed to run. */
const optional = ['wrangler.toml'];
/** Generated by tools and ignored by git. */
const isMade = (name: string): boolean =>
  ['node_modules', 'dist', 'coverage'].includes(name) || name.endsWith('.log');

/** @param entries names on the top level; those that begin with a dot are ignored */
export function topLevelViolations(entries: readonly string[]): Violation[] {
  const rule = 'nothing else stands on the top level';
  const present = entries.filter((name) => !name.startsWith('.') && !isMade(name));
  return [
    ...present
      .filter((name) => !topLevel.includes(name))
      .map((name) => violation(rule, name, 1, 'it has no place here')),
    ...topLevel
      .filter((name) => !present.includes(name) && !optional.includes(name))
      .map((name) => violation(rule, name, 1, 'it is missing')),
  ];
}
