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

/** Black or white, whichever is read better on a colour `#rrggbb` (WCAG 2.2, relative luminance). */
export function contrasting(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000000' : '#ffffff';
}
