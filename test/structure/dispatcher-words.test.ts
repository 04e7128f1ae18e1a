import { describe, expect, it } from 'vitest';
import { readSources } from './sources.ts';

const home = 'shared/remotes/dispatcher/openuds/';
const product = readSources().filter(({ path }) => !path.startsWith('test/') && !path.startsWith(home));

/** Words of the interface of OpenUDS that no other part of the product uses for something of its own. */
const words =
  /open_?uds|\budss\b|udslink|scrambler|os_?managers?\b|fallback_?access|fromAssignable|meta_?pools?\b|deployed_?service|staff_member|\bis_admin\b/i;

/** The document of the API in another form. */
const generated = new Set(['shared/client/operations.ts']);

/** Places that name the product or its programs, and why. */
const named: Readonly<Record<string, string>> = {
  'shared/remotes/dispatcher/kinds.ts': 'the registry of kinds',
  'shared/remotes/dispatcher/key-kinds.ts': 'the registry of their session keys',
  'shared/remotes/dispatcher/capabilities.ts': 'the table of capabilities',
  'functions/webui/dispatchers/schema.ts': 'the API names the kinds',
  'functions/webui/farms/schema.ts': 'the API names the kinds',
  'shared/kernel/system-parameters.ts': 'the default of the schemes of links',
  'shared/kernel/link-schemes.ts': 'the schemes of viewers',
  'shared/http/document/tags.ts': 'its actor calls the agent API',
  'functions/agent/workplaces/schema.ts': 'its actor calls the agent API',
  'functions/agent/workplaces/usecases.ts': 'its actor calls the agent API',
  'functions/webui/gateways/schema.ts': 'its tunnel server is a gateway',
};

describe('a kind of dispatcher', () => {
  it('has its words in its own folder only', () => {
    const found = product.flatMap(({ path, lines }) =>
      path in named || generated.has(path)
        ? []
        : lines.flatMap((line, at) => (words.test(line) ? [`${path}:${at + 1} ${line.trim()}`] : [])),
    );
    expect(found).toEqual([]);
  });

  it('is named elsewhere only where a reason is given', () => {
    const paths = new Set(product.filter(({ text }) => words.test(text)).map(({ path }) => path));
    expect(Object.keys(named).filter((path) => !paths.has(path))).toEqual([]);
  });
});
