import { type ComponentType, createElement, Fragment } from 'preact';
import type { Extension } from './extension.ts';

/** The extensions of several areas for one kind: their parts are one after the other. */
export function combined(extensions: readonly Extension[]): Extension {
  const [first, ...others] = extensions;
  if (!first || others.length === 0) return first ?? {};
  const of = <Name extends keyof Extension>(name: Name) => extensions.map((extension) => extension[name]);
  return {
    ...together('RecordActions', of('RecordActions')),
    ...together('RecordParts', of('RecordParts')),
    ...together('ListHead', of('ListHead')),
    ...together('SelectionActions', of('SelectionActions')),
    ...together('DialogParts', of('DialogParts')),
    inParts: extensions.flatMap(({ inParts = [] }) => inParts),
    inputs: Object.assign({}, ...of('inputs')),
  };
}

function together<Name extends string, Props extends object>(
  name: Name,
  parts: readonly (ComponentType<Props> | undefined)[],
): { [K in Name]?: ComponentType<Props> } {
  const given = parts.filter((part) => part !== undefined);
  if (given.length === 0) return {};
  const All = (props: Props) =>
    createElement(Fragment, null, ...given.map((part) => createElement(part, props)));
  return { [name]: All } as { [K in Name]?: ComponentType<Props> };
}
