import { copyButton } from './copy-button.ts';
import type { Component, DataMap, SwaggerRequest, System } from './system.ts';
import { placeholder } from './token.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A command for a POSIX shell: everything is quoted except the token variable, which the shell expands. */
function curlOf({ url, method = 'GET', headers = {}, body }: SwaggerRequest): string {
  const fields = Object.entries(headers).map(([name, value]) =>
    value === placeholder ? `-H "${name}: ${placeholder}"` : `-H ${quoted(`${name}: ${value}`)}`,
  );
  const content =
    body === undefined || body === null
      ? []
      : [`-d ${quoted(typeof body === 'string' ? body : JSON.stringify(body))}`];
  const address = quoted(new URL(url, location.href).href);
  return [`curl -X ${method.toUpperCase()} ${address}`, ...fields, ...content].join(' \\\n  ');
}

/** Replaces the curl command of Swagger UI. */
export function curlCommand({ React }: System): Component<{ request: DataMap }> {
  const h = React.createElement;
  const CopyButton = copyButton(React);
  return function CurlCommand({ request }) {
    const line = curlOf(request.toJS() as SwaggerRequest);
    return h(
      'div',
      { className: 'curl-command' },
      h('h4', null, 'curl'),
      h('pre', { className: 'curl', tabIndex: 0 }, line),
      h(CopyButton, { text: line, label: 'copy' }),
    );
  };
}
