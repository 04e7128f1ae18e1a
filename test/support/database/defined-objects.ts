/** Functions and triggers that a text of SQL defines, by name. */
export type DefinedObjects = { functions: string[]; triggers: { name: string; table: string }[] };

export function definedBy(text: string): DefinedObjects {
  const functions = [...text.matchAll(/^create (?:or replace )?function (\w+)\(/gim)];
  const triggers = [...text.matchAll(/^create (?:constraint )?trigger (\w+)\s[^;]*?\bon (\w+)\b/gim)];
  return {
    functions: functions.map(([, name = '']) => name),
    triggers: triggers.map(([, name = '', table = '']) => ({ name, table })),
  };
}
