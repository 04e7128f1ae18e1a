/**
 * Resolves imports without the work that Node repeats for each of them: it parses the `exports` of a package again for
 * every file that imports it, which took half of the time in which a worker loads the portal. The results are those
 * of Node; what this file does not know is left to Node.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = new URL('../../../', import.meta.url).href;
const folder = '/node_modules/';

/** Resolved imports of packages, by the importing package, the name and the conditions. */
const resolved = new Map();
/** Formats of `.js` files, by the URL of their folder. */
const formats = new Map();

registerHooks({ resolve });

export function resolve(specifier, context, next) {
  const { parentURL: parent = '', conditions } = context;
  if (!parent.startsWith(root)) return next(specifier, context);
  const owner = packageOf(parent);
  if (specifier.startsWith('.'))
    return relative(specifier, parent, owner, conditions) ?? next(specifier, context);
  if (specifier.includes(':')) return next(specifier, context);
  const key = [owner, specifier, ...conditions].join(' ');
  const known = resolved.get(key);
  if (known) return known;
  const { url, format } = next(specifier, context);
  const result = { url, format, shortCircuit: true };
  resolved.set(key, result);
  return result;
}

/** Relative imports of ES modules are URLs: they have no extension to guess and no folder to search. */
function relative(specifier, parent, owner, conditions) {
  if (owner === '')
    return specifier.endsWith('.ts')
      ? { url: urlOf(specifier, parent), format: 'module-typescript', shortCircuit: true }
      : undefined;
  if (!conditions.includes('import') || !specifier.endsWith('.js')) return undefined;
  const url = urlOf(specifier, parent);
  return { url, format: formatIn(url.slice(0, url.lastIndexOf('/')), owner), shortCircuit: true };
}

const urlOf = (specifier, parent) => new URL(specifier, parent).href;

/** The URL of the package of a file; empty for files of the project. */
function packageOf(url) {
  const at = url.lastIndexOf(folder);
  if (at < 0) return '';
  const name = at + folder.length;
  const end = url.indexOf('/', name);
  return url.slice(0, url[name] === '@' ? url.indexOf('/', end + 1) : end);
}

/** The `type` of the nearest package.json, up to that of the package. */
function formatIn(place, owner) {
  const known = formats.get(place);
  if (known) return known;
  const type = typeIn(place);
  const format =
    type ??
    (place === owner || !place.includes('/')
      ? 'commonjs'
      : formatIn(place.slice(0, place.lastIndexOf('/')), owner));
  formats.set(place, format);
  return format;
}

function typeIn(place) {
  try {
    const { type } = JSON.parse(readFileSync(fileURLToPath(`${place}/package.json`), 'utf8'));
    return type === 'module' ? 'module' : 'commonjs';
  } catch {
    return undefined;
  }
}
