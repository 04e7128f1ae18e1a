import type { Json } from '../portal.ts';

const paths = [
  '/api/webui/aggregator/sites',
  '/api/webui/aggregator/sites/{id}',
  '/livez',
  '/aggregator/health/check',
];

/**
 * Some operations of an OpenAPI document of the portal with the components that they use: a violation of a rule is found in it as in the whole one,
 * which takes twenty times longer.
 */
export function smallDocument(document: Json): Json {
  const small: Json = structuredClone({
    ...document,
    paths: Object.fromEntries(paths.map((path) => [path, document.paths[path]])),
    components: {},
  });
  const operations = Object.values<Json>(small.paths).flatMap(({ servers: _, ...verbs }) =>
    Object.values(verbs),
  );
  const schemes = operations.flatMap(({ security }: Json) => security.flatMap(Object.keys));
  small.components.securitySchemes = Object.fromEntries(
    schemes.map((name: string) => [name, structuredClone(document.components.securitySchemes[name])]),
  );
  const tags = new Set(operations.flatMap((operation: Json) => operation.tags));
  small.tags = small.tags.filter(({ name }: Json) => tags.has(name));
  small['x-tagGroups'] = small['x-tagGroups']
    .map((group: Json) => ({ ...group, tags: group.tags.filter((name: string) => tags.has(name)) }))
    .filter((group: Json) => group.tags.length > 0);
  addComponents(document, small, small.paths);
  return small;
}

/** Adds the components that a part refers to, and those that these refer to. */
function addComponents(document: Json, small: Json, part: unknown): void {
  for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([^"/]+)/g)) {
    small.components[kind] ??= {};
    if (small.components[kind][name]) continue;
    small.components[kind][name] = structuredClone(document.components[kind][name]);
    addComponents(document, small, small.components[kind][name]);
  }
}
