/** Values of a template by name. Names that begin with `&` contain markup. */
export type Values = Record<string, string>;

/**
 * Fills a template. `{{name}}` becomes the escaped text, `{{&name}}` the markup. The text between `{{#name}}` and
 * `{{/name}}` is included if the value is not empty.
 */
export const fill = (template: string, values: Values): string =>
  withSections(template, values).replace(/\{\{(&?\w+)\}\}/g, (_, name: string) =>
    name.startsWith('&') ? (values[name] ?? '') : escaped(values[name] ?? ''),
  );

const withSections = (template: string, values: Values): string =>
  template.replace(/\{\{#(\w+)\}\}([\s\S]*?)\{\{\/\1\}\}/g, (_, name: string, inner: string) =>
    values[name] ? withSections(inner, values) : '',
  );

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
