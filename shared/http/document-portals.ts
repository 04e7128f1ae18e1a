import { moduleOf, modules, type PortalType } from '../modules.ts';
import type { Schema } from './document-schemas.ts';

type Document = { paths: Record<string, object>; components: Components; tags: { name: string }[] };
type Components = Record<string, Record<string, Schema>>;

/** The document of a universal portal as one of another type has it: what it does not serve is not in it. */
export function documentFor(document: Document, type: PortalType): Document {
  const served = (path: string): boolean => moduleOf(path)?.portals.includes(type) ?? false;
  const paths = Object.fromEntries(Object.entries(document.paths).filter(([path]) => served(path)));
  const text = JSON.stringify(paths);
  const isTagged = ({ name }: { name: string }): boolean =>
    text.includes(`"${name}"`) && isOffered(name, type);
  return {
    ...document,
    tags: document.tags.filter(isTagged),
    paths,
    components: reachable(document.components, paths),
  };
}

const isOffered = (tag: string, type: PortalType): boolean =>
  modules.find(({ name }) => name === tag)?.portals.includes(type) ?? true;

/** The components that the paths need, or those that these need. */
function reachable(components: Components, paths: object): Components {
  const wanted = new Set<string>();
  const follow = (node: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(node).matchAll(
      /"#\/components\/(\w+)\/([^"]+)"/g,
    )) {
      if (wanted.has(`${kind}/${name}`)) continue;
      wanted.add(`${kind}/${name}`);
      follow(components[kind]?.[name] ?? {});
    }
  };
  follow(paths);
  return Object.fromEntries(
    Object.entries(components).map(([kind, entries]) => [
      kind,
      Object.fromEntries(
        Object.entries(entries).filter(
          ([name]) => kind === 'securitySchemes' || wanted.has(`${kind}/${name}`),
        ),
      ),
    ]),
  );
}
