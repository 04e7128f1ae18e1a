import { type EdgeModule, edgeModules } from '../../../shared/tooling/build/bundles.ts';
import { deploymentOf } from '../../../shared/tooling/deploy/deployments.ts';

const startOf = (route: string): string => route.replace(/^\*/, '').replace(/\*$/, '');

/** The longest path takes precedence, as on the edge. */
const routes = edgeModules
  .flatMap((module) => deploymentOf(module).routes.map((route) => ({ start: startOf(route), module })))
  .toSorted((a, b) => b.start.length - a.start.length);

/** The module that serves a path. */
export const moduleAt = (path: string): EdgeModule =>
  routes.find(({ start }) => path.startsWith(start))?.module ?? 'discover';
