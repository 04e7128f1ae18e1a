import { moduleOf, type PortalType } from '../../modules.ts';
import type { Schema } from './schemas.ts';

type Document = {
  /** A path item contains operations and can contain `servers`. */
  paths: Record<string, object>;
  components: Components;
  tags: { name: string }[];
  'x-tagGroups': { name: string; tags: string[] }[];
};
type Components = Record<string, Record<string, Schema>>;

/** Reduces the document of a universal portal to the operations that a portal of another type serves. */
export function documentFor(document: Document, type: PortalType): Document {
  const served = (path: string): boolean => moduleOf(path)?.portals.includes(type) ?? false;
  const paths = Object.fromEntries(Object.entries(document.paths).filter(([path]) => served(path)));
  const used = new Set(Object.values(paths).flatMap((item) => Object.values(item).flatMap(tagsOf)));
  const groups = document['x-tagGroups'].map(({ name, tags }) => ({
    name,
    tags: tags.filter((tag) => used.has(tag)),
  }));
  return {
    ...document,
    tags: document.tags.filter(({ name }) => used.has(name)),
    'x-tagGroups': groups.filter(({ tags }) => tags.length > 0),
    paths,
    components: reachable(document.components, paths),
  };
}

const tagsOf = ({ tags = [] }: { tags?: string[] }): string[] => tags;

/** Returns the components that the paths refer to, directly or through other components. */
function reachable(components: Components, paths: object): Components {
  const referenced = new Set<string>();
  const follow = (node: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(node).matchAll(
      /"#\/components\/(\w+)\/([^"]+)"/g,
    )) {
      if (referenced.has(`${kind}/${name}`)) continue;
      referenced.add(`${kind}/${name}`);
      follow(components[kind]?.[name] ?? {});
    }
  };
  follow(paths);
  return Object.fromEntries(
    Object.entries(components).map(([kind, entries]) => [
      kind,
      Object.fromEntries(
        Object.entries(entries).filter(
          ([name]) => kind === 'securitySchemes' || referenced.has(`${kind}/${name}`),
        ),
      ),
    ]),
  );
}
