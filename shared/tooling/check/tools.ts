import { join } from 'node:path';
import { cacheFolder } from './records.ts';

export type Tool = {
  name: string;
  /** True for the files whose change can change the result. Undefined for a tool with a record of its own. */
  reads?: (path: string) => boolean;
  /**
   * The program and its arguments.
   * @param files those to check, all if undefined
   */
  command: (files?: readonly string[]) => readonly string[];
  /** The tool checks each file by itself, with the declarations of the files that it imports. */
  isByFile?: true;
};

export type Checks = {
  /** The lanes run side by side, the tools of a lane one after the other. */
  lanes: readonly (readonly Tool[])[];
  /** Build information of the compiler, which a tool of the first lane writes. */
  buildInfo: readonly string[];
  /** True for the files that select and configure the tools: their change invalidates all records. */
  configures: (path: string) => boolean;
};

const documentInputs =
  /^shared\/(?:openapi\/openapi\.json|tooling\/document\/[\w-]+\.ts|http\/document\/patterns\.ts)$/;

/** All checks that need no database, in two lanes for two processors. */
export function checksOf(root: string): Checks {
  const cache = cacheFolder(root);
  const types = join(cache, 'types.tsbuildinfo');
  const pageTypes = join(cache, 'page-types.tsbuildinfo');
  return {
    buildInfo: [types, pageTypes],
    configures: (path) =>
      /(?:^|\/)(?:package-lock|biome|tsconfig)\.json$|^(?:\.gitignore|test\/vitest\.config\.ts)$|^shared\/tooling\/check[/.]/.test(
        path,
      ),
    lanes: [
      [
        { name: 'types', command: () => [...compiler(types, join(cache, 'types')), '--checkers', '2'] },
        {
          name: 'types of pages',
          command: () => [...compiler(pageTypes, join(cache, 'page-types')), '--project', 'shared/web'],
        },
        lint,
      ],
      [structure, unused(join(cache, 'unused')), document],
    ],
  };
}

/**
 * Results for unchanged files come from the build information. The declarations themselves are not used. But when the
 * compiler writes them, it has their digests from the first run on: it then checks the importers of a changed file only
 * if its declarations changed, and so does the linter. The two projects cannot refer to each other as parts of one build,
 * because tests import pages and pages import shared code.
 */
const compiler = (buildInfo: string, folder: string): readonly string[] => [
  ...[
    'tsc',
    '--noEmit',
    'false',
    '--declaration',
    '--emitDeclarationOnly',
    '--rootDir',
    '.',
    '--outDir',
    folder,
  ],
  ...['--incremental', '--tsBuildInfoFile', buildInfo],
];

/**
 * The result of a file depends on its text and on the declarations of the files that it imports, which is what the rules
 * about promises look at. So besides the changed files, the importers of each file with changed declarations are linted.
 * An importer that only passes a changed type on has changed declarations itself. The other rules that look at imports
 * find nothing new in an unchanged file: a missing file or name is an error of the compiler, and a missing package one of
 * the search for unused code. The rule of the linter about cycles is off, because it walks the graph from each file,
 * which takes a third of the time of a full run. The structure rules find each cycle in one walk, including those of
 * types.
 */
const lint: Tool = {
  name: 'format and lint',
  reads: (path) => !/\.(?:md|png|sql|tsv)$/.test(path),
  isByFile: true,
  command: (files = []) => [
    ...['biome', 'ci', '--error-on-warnings'],
    // The configuration excludes some of the changed files.
    ...(files.length > 0 ? ['--files-ignore-unknown=true', '--no-errors-on-unmatched', ...files] : []),
  ],
};

const structure: Tool = {
  name: 'structure',
  reads: () => true,
  // In one process the rules share one parse of the tree.
  command: () => [
    ...['vitest', 'run', '--config', 'test/vitest.config.ts', '--project', 'structure'],
    ...['--maxWorkers', '1'],
  ],
};

const unused = (cache: string): Tool => ({
  name: 'unused code',
  reads: (path) => /\.(?:[cm]?[jt]sx?|jsonc?|css|toml)$/.test(path),
  // The cache has what is found in the text of each file.
  command: () => [
    ...['knip', '--config', 'shared/tooling/check/knip.jsonc', '--no-progress'],
    ...['--cache', '--cache-location', cache],
  ],
});

const document: Tool = {
  name: 'OpenAPI',
  reads: (path) => documentInputs.test(path),
  command: () => ['node', 'shared/tooling/document/lint.ts'],
};
