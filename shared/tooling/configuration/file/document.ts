import { isObject } from '../../../kernel/json/json.ts';
import { type Kind, kinds, type Section, sections } from '../kinds.ts';
import { didYouMean, nearestOf } from '../records/names.ts';
import { ConfigurationFault, gathered, type Path } from './fault.ts';
import { type PathValue, valuesAt, withMember } from './paths.ts';
import { resolveSecret } from './placeholders.ts';
import type { YamlFile } from './yaml-file.ts';

/** A secret value, which must not appear in a plan. */
type Secret = { path: readonly string[]; value: string };

/** An entry of a section in the file, without its secrets. */
export type Entry = {
  kind: Kind;
  name: string;
  /** `['sites', 0]` */
  at: Path;
  content: Record<string, unknown>;
  secrets: readonly Secret[];
};

export type Configuration = {
  file: YamlFile;
  /** The sections of the file, including empty ones. */
  sections: readonly Section[];
  entries: readonly Entry[];
  images: readonly { at: Path; content: unknown }[];
};

/**
 * Reads the entries of a configuration file; members are validated later.
 * @throws ConfigurationFault with one line for each unknown section, entry without a name, and invalid secret
 */
export function readConfiguration(file: YamlFile, env: Readonly<NodeJS.ProcessEnv>): Configuration {
  const content = file.content ?? {};
  if (!isObject(content)) throw new ConfigurationFault(`${file.path}: its content is not a mapping`);
  const allowed: readonly string[] = [...sections, 'images'];
  const lists = gathered(Object.entries(content), ([section, value]) => {
    if (!allowed.includes(section))
      throw fault(file, [section], `unknown section${didYouMean(nearestOf(section, allowed))}`);
    if (value !== null && !Array.isArray(value)) throw fault(file, [section], 'must be a list');
    return [section, value ?? []] as const;
  });
  const present = new Map<string, unknown[]>(lists);
  const own = sections.filter((section) => present.has(section));
  const entries = own.flatMap((section) =>
    gathered([...(present.get(section) ?? []).entries()], ([index, entry]) =>
      entryOf(file, kinds[section], [section, index], entry, env),
    ),
  );
  const images = (present.get('images') ?? []).map((image, index) => ({
    at: ['images', index],
    content: image,
  }));
  return { file, sections: own, entries, images };
}

function entryOf(
  file: YamlFile,
  kind: Kind,
  at: Path,
  content: unknown,
  env: Readonly<NodeJS.ProcessEnv>,
): Entry {
  if (!isObject(content)) throw fault(file, at, 'must be a mapping');
  const { name } = content;
  if (typeof name !== 'string' || name.trim() === '') throw fault(file, at, 'name: is required');
  const found = kind.secrets.flatMap((path) => valuesAt(content, path));
  const secrets = gathered(found, (secret) => secretOf(file, at, secret, env));
  const open = kind.secrets.reduce((rest, path) => hidden(rest, path), content);
  return { kind, name: name.trim(), at, content: open, secrets };
}

/** The content without a secret; missing parent objects are not created. */
const hidden = (content: Record<string, unknown>, path: readonly string[]): Record<string, unknown> =>
  path.length === 1 || isObject(content[path[0] ?? '']) ? withMember(content, path, undefined) : content;

function secretOf(
  file: YamlFile,
  at: Path,
  { at: path, value: text }: PathValue,
  env: Readonly<NodeJS.ProcessEnv>,
): Secret {
  const resolved = resolveSecret(text, file.path, env);
  if ('fault' in resolved) throw fault(file, [...at, ...path], resolved.fault);
  return { path: path.map(String), value: resolved.value };
}

/** An error at a position in the file: `sites/North/uri (line 12): …`. */
export function fault(file: YamlFile, path: Path, text: string): ConfigurationFault {
  return new ConfigurationFault(`${placeOf(file, path)}: ${text}`);
}

/** Entries are identified by name instead of by index. */
export function placeOf({ content, lineOf }: YamlFile, path: Path): string {
  const [section, index, ...rest] = path;
  const list = isObject(content) && section !== undefined ? content[section] : undefined;
  const entry: unknown = Array.isArray(list) && typeof index === 'number' ? list[index] : undefined;
  const name = isObject(entry) && typeof entry.name === 'string' ? entry.name : index;
  const steps = [section, name, ...rest].filter((step) => step !== undefined);
  return `${steps.join('/')} (line ${lineOf(path)})`;
}
