export type Family = { type: string; help: string; samples: Map<string, number> };

const name = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const label = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
const helpLine = new RegExp(`^# HELP (${name}) (.+)$`);
const typeLine = new RegExp(`^# TYPE (${name}) (counter|gauge|histogram|summary|untyped)$`);
const sampleLine = new RegExp(`^(${name})(\\{${label}(?:,${label})*,?\\})? (\\S+)$`);
const float = /^(?:[+-]?(?:\d+\.\d+(?:e[+-]?\d+)?|\d+e[+-]?\d+|Inf)|NaN)$/;

/**
 * Parses the Prometheus text format 0.0.4; samples without labels are keyed by name only.
 * @throws Error for an invalid line, a duplicate series, a sample without preceding HELP and TYPE, and a value that
 * is not written as a float
 */
export function parseMetrics(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const families = new Map<string, Family>();
  for (const line of text.split('\n').filter((each) => each !== '')) readLine(families, line);
  return families;
}

function readLine(families: Map<string, Family>, line: string): void {
  const [, helped, help = ''] = helpLine.exec(line) ?? [];
  const [, typed, type = ''] = typeLine.exec(line) ?? [];
  if (helped) addFamily(families, helped, help);
  else if (typed) setType(families, typed, type);
  else addSample(families, line);
}

function addSample(families: Map<string, Family>, line: string): void {
  const [, name = '', labels = '', value = ''] = sampleLine.exec(line) ?? [];
  const family = families.get(name) ?? histogramOf(families, name);
  if (!family?.type) throw new Error(`no HELP and TYPE before: ${line}`);
  if (!float.test(value)) throw new Error(`not a float: ${line}`);
  // The three kinds of series of a histogram have separate names.
  const key = family.type === 'histogram' ? `${name}${labels}` : labels;
  if (family.samples.has(key)) throw new Error(`given twice: ${line}`);
  family.samples.set(key, Number(value));
}

function histogramOf(families: Map<string, Family>, name: string): Family | undefined {
  const family = families.get(name.replace(/_(?:bucket|sum|count)$/, ''));
  return family?.type === 'histogram' ? family : undefined;
}

function addFamily(families: Map<string, Family>, family: string, help: string): void {
  if (families.has(family)) throw new Error(`two families ${family}`);
  families.set(family, { type: '', help, samples: new Map() });
}

function setType(families: Map<string, Family>, name: string, type: string): void {
  const family = families.get(name);
  if (!family || family.type) throw new Error(`TYPE without HELP, or twice: ${name}`);
  family.type = type;
}
