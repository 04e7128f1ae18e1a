/** Values of a template by name; those whose name begins with `&` are markup already. */
export type Values = Record<string, string>;

/**
 * Fills a template: `{{name}}` becomes the text, escaped; `{{&name}}` markup as it is; what stands between `{{#name}}`
 * and `{{/name}}` remains where the value is not empty.
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
