import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { root as home } from '../programs.mjs';
import { type Declarations, hasGlobals, readDeclarations } from './declarations.ts';
import { type Digests, differing, digestsOf, only } from './digests.ts';
import { cacheFolder, type GreenRun, readGreenRun, writeGreenRun } from './records.ts';
import type { Checks, Tool } from './tools.ts';

export type Outcome = { name: string; isGood: boolean; seconds: number; output: string; isUnchanged?: true };

/** `changed`: what has changed since the last run without errors. `fresh`: everything, and records are neither read nor written. */
export type Extent = 'changed' | 'all' | 'fresh';

const programs = join(home, 'node_modules', '.bin');

/** Runs all tools. Only a run without errors is recorded, with the digests of the files that it has read. */
export async function runChecks(root: string, checks: Checks, extent: Extent): Promise<Outcome[]> {
  if (extent !== 'changed') await rm(cacheFolder(root), { recursive: true, force: true });
  const before = await digestsOf(root);
  const configuration = configurationOf(before, checks);
  const lanes = await Promise.all(
    checks.lanes.map(async (lane) => {
      const outcomes: Outcome[] = [];
      for (const tool of lane) outcomes.push(await runTool({ root, checks, before, configuration }, tool));
      return lane.map((tool, at) => ({ tool, outcome: outcomes[at] as Outcome, outcomes }));
    }),
  );
  const results = lanes.flat();
  if (extent !== 'fresh') {
    const after = await digestsOf(root);
    const declarations = await readDeclarations(root, checks.buildInfo);
    for (const { tool, outcome, outcomes } of results) {
      const green = greenRun({ tool, before, after, configuration, declarations });
      // Of declarations with errors it is not certain that they are complete.
      const isGood = tool.isByFile ? outcomes.every((one) => one.isGood) : outcome.isGood;
      if (isGood && green) await writeGreenRun(root, tool.name, green);
    }
  }
  return results.map(({ outcome }) => outcome);
}

function configurationOf(digests: Digests, { configures }: Checks): string {
  const facts = [process.version, ...Object.entries(only(digests, configures)).flat()];
  return createHash('sha256').update(facts.join('\n')).digest('hex');
}

type Finished = {
  tool: Tool;
  before: Digests;
  after: Digests;
  configuration: string;
  declarations: Declarations | undefined;
};

/** @returns undefined if a file changed meanwhile: it is not certain which content the tool has read */
function greenRun({ tool, before, after, configuration, declarations }: Finished): GreenRun | undefined {
  if (!tool.reads || (tool.isByFile && !declarations)) return undefined;
  const inputs = only(before, tool.reads);
  if (differing(inputs, only(after, tool.reads)).length > 0) return undefined;
  return { configuration, inputs, declarations: tool.isByFile ? (declarations?.digests ?? {}) : {} };
}

type Work = { root: string; checks: Checks; before: Digests; configuration: string };

async function runTool(work: Work, tool: Tool): Promise<Outcome> {
  const files = await filesFor(work, tool);
  if (files?.length === 0)
    return { name: tool.name, isGood: true, seconds: 0, output: '', isUnchanged: true };
  return execute(work.root, tool.name, tool.command(tool.isByFile && files));
}

/** @returns the files to check, undefined if the record does not exclude any */
async function filesFor({ root, checks, before, configuration }: Work, tool: Tool) {
  const green = await readGreenRun(root, tool.name, configuration);
  if (!tool.reads || !green) return undefined;
  const changed = differing(green.inputs, only(before, tool.reads));
  if (changed.length === 0 || !tool.isByFile) return changed;
  const declarations = await readDeclarations(root, checks.buildInfo);
  if (!declarations) return undefined;
  const redeclared = differing(green.declarations, declarations.digests);
  if (
    redeclared.some((path) => hasGlobals(green.declarations[path]) || hasGlobals(declarations.digests[path]))
  )
    return undefined;
  const importers = redeclared.flatMap((path) => declarations.importers.get(path) ?? []);
  return [...new Set([...changed, ...importers])].filter((path) => before[path] !== undefined);
}

function execute(root: string, name: string, [program = '', ...args]: readonly string[]): Promise<Outcome> {
  const start = performance.now();
  const child = spawn(join(programs, program), args, {
    cwd: root,
    // The programs find Node on the search path, which must be the Node of this project.
    env: { ...process.env, PATH: [programs, process.env.PATH].filter(Boolean).join(delimiter) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const note = (text: string) => {
    output += text;
  };
  child.stdout.setEncoding('utf8').on('data', note);
  child.stderr.setEncoding('utf8').on('data', note);
  return new Promise((resolve) => {
    const finish = (isGood: boolean) =>
      resolve({ name, isGood, seconds: (performance.now() - start) / 1000, output });
    child.once('error', (error) => {
      note(`${error.message}\n`);
      finish(false);
    });
    child.once('close', (code) => finish(code === 0));
  });
}
