import { facts } from '../facts.ts';
import type { Component, DataMap, Sequence, System } from './system.ts';

type TagProps = { tag: string; getConfigs(): Record<string, unknown> };
type Groups = Sequence<{ get(name: 'tags'): { includes(tag: string): boolean } } & DataMap>;

/** Groups resources under the headings of their modules, which Swagger UI does not support. */
export function groupedTag(
  Tag: Component<TagProps>,
  { React, specSelectors, layoutSelectors }: System,
): Component<TagProps> {
  const h = React.createElement;
  const moduleOf = (tag: string): string => {
    const groups = specSelectors.specJson().get('x-tagGroups') as Groups | undefined;
    return String(groups?.find((group) => group.get('tags').includes(tag))?.get('name') ?? '');
  };
  return function GroupedTag(props) {
    const module = moduleOf(props.tag);
    const tags = specSelectors.taggedOperations().keySeq();
    const isFirst = tags.find((tag) => moduleOf(tag) === module) === props.tag;
    const purpose = h('small', null, facts.modules[module]);
    const heading = { className: 'module', id: `module-${module}` };
    const title = isFirst ? h('h2', heading, module, ' ', purpose) : null;
    // Filter results are shown immediately.
    const phrase = layoutSelectors.currentFilter();
    const docExpansion = phrase !== true && phrase ? 'list' : 'none';
    const getConfigs = () => ({ ...props.getConfigs(), docExpansion });
    return h(React.Fragment, null, title, h(Tag, { ...props, getConfigs }));
  };
}

type Operations = Sequence<DataMap>;
type Resource = DataMap & {
  get(name: 'operations'): Operations;
  update(name: 'operations', change: (all: Operations) => Operations): Resource;
};

/** Operations whose summary, address or id, or whose resource, has each of the words. */
export function filterOperations(tags: Sequence<Resource>, phrase: string): Sequence<Resource> {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (tag: string) => (operation: DataMap) => {
    const described = operation.get('operation') as DataMap;
    const text = [tag, described.get('summary'), described.get('operationId'), operation.get('path')]
      .join(' ')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return tags
    .map((resource, tag) => resource.update('operations', (all) => all.filter(matches(tag))))
    .filter((resource) => resource.get('operations').size > 0);
}

type ResponsesProps = { responses: Sequence<DataMap> };

/** The success of the request before that of its dry run, although it has the greater number. */
export function realFirst(
  Responses: Component<ResponsesProps>,
  { React }: System,
): Component<ResponsesProps> {
  const isDryRun = (response: DataMap) => response.get('x-dry-run') === true;
  const rank = (response: DataMap, status: string) => Number(status) + (isDryRun(response) ? 99.5 : 0);
  return (props) => React.createElement(Responses, { ...props, responses: props.responses.sortBy(rank) });
}

/** Elements inside a button are not accessible. The URL of the page still identifies the open operation. */
export const plainName =
  (_: unknown, { React }: System): Component<{ text: string }> =>
  ({ text }) =>
    React.createElement('span', null, text);
