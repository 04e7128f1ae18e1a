import { createPortal, type PortalDeps } from '../../../functions/portal.ts';
import type { Operation } from '../../../shared/http/declare/operation.ts';
import { documentOf } from '../../../shared/http/document/document.ts';
import { exampleOf } from '../../../shared/http/document/examples.ts';
import type { Schema } from '../../../shared/http/document/schemas.ts';
import type { ModuleName } from '../../../shared/modules.ts';
import type { Json } from '../../support/portal.ts';
import { isListed } from '../support/portal-types.ts';
import { portalType } from '../support/typed-portal.ts';

/** Modules keep their dependencies for requests; declarations can be read without. */
export const { modules } = createPortal({ portalType: 'universal' } as PortalDeps);

/** The declaration of an operation, and its module. */
export type Registered = Omit<Operation<never>, 'run'> & { module: ModuleName };

export const everyOperation: readonly Registered[] = modules.flatMap(({ name, operations: own }) =>
  own.map(({ run: _, ...declared }) => ({ ...declared, module: name })),
);

/** Those of the portal under test. */
export const listedOperations = everyOperation.filter((operation) => isListed(operation, portalType));

/**
 * Those with token authentication. Operations with the browser cookie, with a form or of SCIM have separate tests, and so do
 * those with one refusal for every cause, as gateway servers expect.
 */
export const operations = listedOperations.filter(
  ({ browser, form, protocol, exceptErrors = [] }) =>
    [browser, form, protocol].every((other) => other === undefined) &&
    !exceptErrors.includes('invalid_request'),
);

export const document: Json = JSON.parse(JSON.stringify(documentOf(modules)));

/** Follows a reference within the document. */
export function resolve(node: Json): Json {
  if (typeof node?.$ref !== 'string') return node;
  const steps: string[] = node.$ref.slice(2).split('/');
  return resolve(steps.reduce((inner, step) => inner?.[step.replaceAll('~1', '/')], document));
}

export const describedAs = ({ path, method }: Registered): Json =>
  document.paths[path]?.[method.toLowerCase()];

/** Agents get every response in one format, refusals included: it has the code in front of `error`. */
export const answersInResultForm = ({ module }: Pick<Registered, 'module'>): boolean =>
  ['agent', 'ssa'].includes(module);

/** Machines of older or newer versions send unknown members, which these operations ignore. */
export const isLiberal = (operation: Registered): boolean =>
  answersInResultForm(operation) || ['gateway.heartbeat', 'portal.heartbeat'].includes(operation.id);

/** SCIM has bodies, responses and refusals in its own form. */
export const isScim = ({ protocol }: Pick<Registered, 'protocol'>): boolean => protocol === 'scim';

/** The media type of the refusals of an operation. */
export function refusalType(operation: Pick<Registered, 'module' | 'protocol'>): string {
  if (isScim(operation)) return 'application/scim+json';
  return answersInResultForm(operation) ? 'application/json' : 'application/problem+json';
}

/** The codes of an operation for a status in the document. */
export function documentedCodes(operation: Registered, status: number): string[] {
  const { content } = resolve(describedAs(operation).responses[status]) ?? {};
  return Object.keys(content?.[refusalType(operation)]?.examples ?? {});
}

/** The example of a body or a response in the document. */
export function shownIn(media: Json): Json {
  if (!media) return undefined;
  const [first]: Json[] = Object.values(media.examples ?? {});
  return first ? resolve(first).value : media.example;
}

export const bodyShown = (operation: Registered): Json =>
  shownIn(describedAs(operation).requestBody?.content['application/json']);

/** The path with its parameters filled in, by default with the examples of the document. */
export function pathOf(operation: Registered, values: Record<string, string> = {}): string {
  const parameters: Json[] = describedAs(operation).parameters;
  return operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const schema: Schema = parameters.find((parameter) => parameter.name === name)?.schema ?? {};
    return values[name] ?? String(exampleOf(schema, document.components.schemas));
  });
}
