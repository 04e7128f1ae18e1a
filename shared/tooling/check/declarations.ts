import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Digests } from './digests.ts';

/** What the compiler has found about the files of its projects. */
export type Declarations = {
  /** Digests of the declarations (`.d.ts`) of each file, marked if they contain global names. */
  digests: Digests;
  /** The files that import a file. */
  importers: ReadonlyMap<string, readonly string[]>;
};

/** The part of the compiler's build information that is read here. File ids begin with 1. */
type BuildInfo = {
  fileNames: string[];
  fileInfos: (string | { version: string; signature?: string; affectsGlobalScope?: true })[];
  /** Absent if no file imports another. */
  fileIdsList?: number[][];
  referencedMap?: [file: number, list: number][];
};

/**
 * Reads the build information of all projects. It contains the declarations of each file, because the compiler writes
 * them as well.
 * @returns undefined if a file cannot be read, or has another format
 */
export async function readDeclarations(
  root: string,
  files: readonly string[],
): Promise<Declarations | undefined> {
  try {
    const projects = await Promise.all(files.map((file) => readProject(root, file)));
    const importers = new Map<string, string[]>();
    for (const [target, source] of projects.flatMap(({ edges }) => edges))
      importers.set(target, [...(importers.get(target) ?? []), source]);
    return { digests: merged(projects.map(({ digests }) => digests)), importers };
  } catch {
    return undefined;
  }
}

type Project = {
  digests: Digests;
  edges: (readonly [target: string, source: string])[];
};

async function readProject(root: string, file: string): Promise<Project> {
  const info: BuildInfo = JSON.parse(await readFile(file, 'utf8'));
  const paths = info.fileNames.map((name) => relative(root, join(dirname(file), name)));
  const isOwn = (path: string) => path !== '' && !/^(?:\.\.|node_modules)[\\/]/.test(path);
  const pathOf = (id: number): string => paths[id - 1] ?? '';
  const digests = paths
    .map((path, at) => [path, declarationDigest(info.fileInfos[at])] as const)
    .filter(([path]) => isOwn(path));
  const edges = (info.referencedMap ?? []).flatMap(([source, list]) =>
    (info.fileIdsList?.[list - 1] ?? [])
      .map((target) => [pathOf(target), pathOf(source)] as const)
      .filter(([target]) => isOwn(target)),
  );
  return { digests: Object.fromEntries(digests), edges };
}

function declarationDigest(info: BuildInfo['fileInfos'][number] | undefined): string {
  if (info === undefined) throw new Error('the file has no information');
  if (typeof info === 'string') return info;
  const { version, signature, affectsGlobalScope } = info;
  // Without a signature, as of JSON, the content counts.
  return `${affectsGlobalScope ? globalMark : ''}${signature ?? version}`;
}

const globalMark = 'global ';

/** Other files use global names without an import. */
export const hasGlobals = (digest: string | undefined): boolean => digest?.includes(globalMark) ?? false;

/** A file of two projects can have other declarations in each. */
function merged(projects: readonly Digests[]): Digests {
  const all: Record<string, string> = {};
  for (const digests of projects)
    for (const [path, digest] of Object.entries(digests)) all[path] = `${all[path] ?? ''} ${digest}`;
  return all;
}
