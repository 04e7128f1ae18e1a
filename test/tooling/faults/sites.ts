import { parseAst } from 'vitest/node';

/** A way to break one expression. */
export type FaultKind = 'comparison' | 'condition' | 'await' | 'constant' | 'member';

/** One place of a source that can be broken. Offsets are those of the text, in UTF-16 units. */
export type FaultSite = {
  kind: FaultKind;
  start: number;
  end: number;
  /** The expression to evaluate instead; undefined: the element of a list or the member of an object is left out. */
  broken: string | undefined;
  form: 'expression' | 'element' | 'member';
};

type Node = { type: string; start: number; end: number; [key: string]: unknown };
type Visit = { node: Node; parent: Node | undefined; textOf: (node: Node) => string };

/** The boundary moves by one; an equality is negated. */
const flipped: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
};

/** All places of a TypeScript source that can be broken so that it still runs. */
export function faultSites(path: string, text: string): FaultSite[] {
  const program = parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path) as unknown as Node;
  const textOf = ({ start, end }: Node): string => text.slice(start, end);
  const sites: FaultSite[] = [];
  const walk = (node: Node, parent: Node | undefined): void => {
    if (node.type.startsWith('TS') && !typedExpressions.has(node.type)) return;
    sites.push(...(rules[node.type]?.({ node, parent, textOf }) ?? []));
    for (const [name, value] of Object.entries(node))
      if (!withoutCode.has(name)) for (const child of nodesIn(value)) walk(child, node);
  };
  walk(program, undefined);
  return sites.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Expressions with a type: only the expression is code. */
const typedExpressions = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);
const withoutCode = new Set([
  'typeAnnotation',
  'typeArguments',
  'typeParameters',
  'returnType',
  'key',
  'source',
]);

function nodesIn(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  return value !== null && typeof value === 'object' && 'type' in value ? [value as Node] : [];
}

const expression = (kind: FaultKind, { start, end }: Node, broken: string): FaultSite => ({
  kind,
  start,
  end,
  broken,
  form: 'expression',
});

const leftOut = (kind: FaultKind, { start, end }: Node, form: 'element' | 'member'): FaultSite => ({
  kind,
  start,
  end,
  broken: undefined,
  form,
});

const child = (node: Node, name: string): Node => node[name] as Node;

const rules: Readonly<Record<string, (visit: Visit) => FaultSite[]>> = {
  BinaryExpression: ({ node, textOf }) => {
    const operator = flipped[String(node.operator)];
    if (!operator) return [];
    const [left, right] = [child(node, 'left'), child(node, 'right')];
    return [expression('comparison', node, `${textOf(left)} ${operator} ${textOf(right)}`)];
  },
  LogicalExpression: ({ node, textOf }) =>
    node.operator === '??'
      ? []
      : [
          expression('condition', node, textOf(child(node, 'left'))),
          expression('condition', node, textOf(child(node, 'right'))),
        ],
  IfStatement: ({ node }) => {
    const test = child(node, 'test');
    return [expression('condition', test, node.alternate ? 'true' : 'false')];
  },
  ConditionalExpression: ({ node }) => [
    expression('condition', child(node, 'test'), 'true'),
    expression('condition', child(node, 'test'), 'false'),
  ],
  AwaitExpression: ({ node, textOf }) => [expression('await', node, textOf(child(node, 'argument')))],
  // A condition of a query that is lost.
  CallExpression: ({ node }) => {
    const { name } = child(node, 'callee') as { name?: string };
    const values = node.arguments as Node[];
    if ((name !== 'and' && name !== 'or') || values.length < 2) return [];
    return values
      .filter(({ type }) => type !== 'SpreadElement')
      .map((one) => leftOut('condition', one, 'element'));
  },
  ObjectExpression: ({ node }) =>
    (node.properties as Node[])
      .filter(({ type, method, kind }) => type === 'Property' && !method && kind === 'init')
      .map((property) => leftOut('member', property, 'member')),
  Literal: ({ node, parent }) => constantsOf(node, parent),
};

/** Texts are broken only where they decide. */
const decides = new Set(['BinaryExpression', 'ArrayExpression', 'ReturnStatement', 'SwitchCase']);

function constantsOf(node: Node, parent: Node | undefined): FaultSite[] {
  const { value } = node;
  if (typeof value === 'boolean') return [expression('constant', node, String(!value))];
  if (typeof value === 'number' && !('bigint' in node && node.bigint))
    return [expression('constant', node, String(value + 1))];
  if (typeof value === 'string' && parent && decides.has(parent.type))
    return [expression('constant', node, JSON.stringify(`${value}~`))];
  return [];
}
