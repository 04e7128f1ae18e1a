import type { Oas3Rule } from '@redocly/openapi-core';
import { portablePattern } from '../../http/document/patterns.ts';
import { type DocumentNode, isObject, type Node, operationsIn, schemasIn } from './owasp-facts.ts';

type Rule = (document: Node) => DocumentNode[];

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Headings that `info.description` must contain. */
const topics = [
  ...['Login', 'Paging', 'Conditional requests', 'Idempotency', 'Dry run', 'Errors', 'Limits'],
  ...['Rate limiting', 'Versioning'],
];

const componentsIn = ({ components }: Node): DocumentNode[] =>
  Object.entries(isObject(components) ? components : {}).flatMap(([kind, entries]) =>
    Object.keys(isObject(entries) ? entries : {}).map((name) => ({
      node: {},
      at: ['components', kind, name],
      pointer: `#/components/${kind}/${name}`,
      name,
      place: '',
    })),
  );

const infoIn = ({ info }: Node): DocumentNode[] =>
  isObject(info) ? [{ node: info, at: ['info'], pointer: '#/info', name: 'info', place: '' }] : [];

/** Requirements of client generators and readers beyond the public rules. */
const rules: Record<string, Rule> = {
  'portable-pattern': (document) =>
    schemasIn(document).filter(
      ({ node: { pattern } }) => typeof pattern === 'string' && portablePattern(pattern) !== pattern,
    ),
  // Generators derive types and variables from these names.
  'component-name': (document) => componentsIn(document).filter(({ name }) => !/^[A-Za-z][\w-]*$/.test(name)),
  'malformed-request': (document) =>
    operationsIn(document).filter(
      ({ node: { responses }, at }) =>
        !at.some((step) => step.startsWith('/aggregator/health/')) &&
        !/malformed_?request/i.test(JSON.stringify((isObject(responses) && responses['400']) ?? '')),
    ),
  'servers-of-path': (document) => operationsIn(document).filter(({ node }) => node.servers !== undefined),
  'code-samples': (document) =>
    operationsIn(document).filter(({ node }) => listOf(node['x-codeSamples']).length !== 3),
  'info-topics': (document) =>
    infoIn(document).filter(({ node: { description } }) =>
      topics.some((topic) => !String(description).includes(`## ${topic}\n`)),
    ),
};

/** As a Redocly plugin; every rule is an error. */
export const portal = {
  id: 'portal',
  rules: {
    oas3: Object.fromEntries(Object.entries(rules).map(([name, faulty]) => [name, ruleOf(name, faulty)])),
  },
};
export const portalSeverities = Object.fromEntries(
  Object.keys(rules).map((name) => [`portal/${name}` as const, 'error' as const]),
);

function ruleOf(name: string, faulty: Rule): Oas3Rule {
  return () => ({
    Root(root, { report, location }) {
      const places = new Map(faulty(isObject(root) ? root : {}).map(({ pointer, at }) => [pointer, at]));
      for (const at of places.values()) report({ message: name, location: location.child([...at]) });
    },
  });
}
