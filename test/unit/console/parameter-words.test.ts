import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parameterDefinitions } from '../../../shared/kernel/system-parameters.ts';
import { languages } from '../../../shared/messages/languages.ts';

const names = parameterDefinitions.map(([name]) => name);
const keyOf = (name: string): string => name.replaceAll('.', '_');

describe.each(languages)('the words of system parameters in %s', (language) => {
  it('have a label for each parameter and a title for each section', async () => {
    const path = new URL(`../../../shared/messages/console/settings.${language}.json`, import.meta.url);
    const texts: Record<string, string> = JSON.parse(await readFile(path, 'utf8'));
    const sections = new Set(names.map((name) => name.split('.')[0]));
    const keys = [
      ...names.map((name) => `parameter_${keyOf(name)}`),
      ...[...sections].map((section) => `parameters_${section}`),
    ];
    expect(keys.filter((key) => texts[key] === undefined)).toEqual([]);
  });
});
