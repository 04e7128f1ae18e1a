import type { WebuiDeps } from '../../../functions/webui/deps.ts';
import { AppError } from '../../kernel/errors.ts';
import { readConfiguration } from './file/document.ts';
import { ConfigurationFault } from './file/fault.ts';
import { readPictures } from './file/pictures.ts';
import { openTokensFile, type TokensFile } from './file/tokens-file.ts';
import { readYamlFile, type YamlFile } from './file/yaml-file.ts';
import { readDesired } from './plan/desired.ts';
import { type Action, builtinLeftOver, planOf } from './plan/plan.ts';
import { planText } from './plan/plan-text.ts';
import { nameOf, refusalLines, rootsOf } from './plan/refusal-text.ts';
import type { Run } from './plan/run-action.ts';
import { rehearsed, runUnit, type Schedule } from './plan/schedule.ts';
import { createOperator, type Operator } from './records/operator.ts';
import { withoutDirectories } from './records/portal-deps.ts';
import { readState } from './records/state.ts';

export type ApplyOptions = {
  path: string;
  env: Readonly<NodeJS.ProcessEnv>;
  dryRun: boolean;
  prune: boolean;
  /** Default: beside the configuration file. */
  tokensFile?: string | undefined;
  /** Prints a text immediately: the plan must be visible before changes are made. */
  say(text: string): void | Promise<void>;
};

/**
 * Applies a configuration file to the records of the portal.
 * @throws ConfigurationFault with one line per error; changes made before are reported
 */
export async function apply(deps: WebuiDeps, options: ApplyOptions): Promise<void> {
  const { path, env, dryRun, prune, say } = options;
  const file = readYamlFile(path);
  const configuration = readConfiguration(file, env);
  const operator = await createOperator(deps);
  const state = await readState(operator);
  const pictures = await readPictures(configuration, state.names);
  const desired = await readDesired(operator, configuration, state);
  const plan = await planOf(operator, deps.sealer, { state, desired, configuration, prune });
  const rehearsal = await createOperator(withoutDirectories(deps));
  const schedule = await rehearsed(rehearsal, plan.actions, pictures);
  const builtin = prune ? builtinLeftOver(configuration, desired, state) : [];
  await say(planText({ ...plan, ...schedule, builtin }, state.names));
  assertPossible(file, schedule);
  if (schedule.units.length === 0) return;
  if (dryRun) return say('Dry run: nothing was changed.\n');
  await run(file, operator, schedule, { pictures, tokens: tokensFor(options, plan.actions), say });
}

/** @throws ConfigurationFault with all rejections of the dry run */
function assertPossible(file: YamlFile, { refused }: Schedule): void {
  const lines = rootsOf(refused).flatMap(({ action, error }) => refusalLines(file, action, error));
  if (lines.length > 0) throw new ConfigurationFault(...lines, 'Nothing was changed.');
}

type RunOptions = { pictures: Run['pictures']; tokens: Tokens | undefined; say: ApplyOptions['say'] };
type Tokens = { file: TokensFile; path: string };

function tokensFor({ path, tokensFile }: ApplyOptions, actions: readonly Action[]): Tokens | undefined {
  const makesTokens = actions.some(
    (action) => action.do === 'create' && action.entry.kind.section === 'gateways',
  );
  if (!makesTokens) return undefined;
  const own = tokensFile ?? `${path.replace(/\.ya?ml$/i, '')}.tokens.yaml`;
  return { file: openTokensFile(own), path: own };
}

async function run(
  file: YamlFile,
  operator: Operator,
  { units }: Schedule,
  { pictures, tokens, say }: RunOptions,
): Promise<void> {
  const onToken: Run['onToken'] = (section, name, token) => {
    try {
      tokens?.file.add(section, name, token);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ConfigurationFault(
        reason,
        `${section}/${name} was created, but its token is lost; create a new one with PATCH and rotate_token`,
      );
    }
  };
  const shared: Run = { operator, ids: new Map(), pictures, onToken };
  const done: Action[] = [];
  const all = units.reduce((sum, { steps }) => sum + steps.length, 0);
  for (const unit of units) {
    try {
      await runUnit(shared, unit);
    } catch (error) {
      throw stopped(file, unit.steps[0]?.action, error, { done, all });
    }
    done.push(...unit.steps.map(({ action }) => action));
  }
  await say(`Applied: ${done.length} of ${all}.\n`);
  if (tokens) await say(`New tokens are in ${tokens.path} (mode 0600).\n`);
}

/** The error and the completed actions. Each action is atomic. */
function stopped(
  file: YamlFile,
  action: Action | undefined,
  error: unknown,
  { done, all }: { done: readonly Action[]; all: number },
): ConfigurationFault {
  const lines =
    error instanceof AppError && action
      ? refusalLines(file, action, error)
      : [`${action ? nameOf(action) : file.path}: ${error instanceof Error ? error.message : String(error)}`];
  const applied = done.slice(-mostNamed).map(nameOf).join(', ');
  const earlier = done.length > mostNamed ? `${done.length - mostNamed} others, ` : '';
  return new ConfigurationFault(
    ...lines,
    `Applied: ${done.length} of ${all}${done.length > 0 ? ` (${earlier}${applied})` : ''}.`,
    'Run the same command again to continue.',
  );
}

const mostNamed = 10;
