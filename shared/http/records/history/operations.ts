import { z } from 'zod';
import type { Selection } from '../../../../db/repositories/records/records.ts';
import type { BaseDeps } from '../../../context/context.ts';
import { invalid } from '../../../kernel/errors.ts';
import { resources } from '../../../resources.ts';
import { Id } from '../../../shapes/fields.ts';
import type { RequestCtx } from '../../context.ts';
import { endpointIn, type Operation, type RawInput } from '../../declare/operation.ts';
import { Answer } from '../../serve/answer.ts';
import type { Crud } from '../crud.ts';
import type { RecordKind } from '../kind.ts';
import { answerHistory, answerVersion, findVersion, restorableNames, type VersionState } from './read.ts';
import { HistoryPage, HistoryQuery, RestoreBody, Skipped, versionStateOf } from './shapes.ts';

type AnyCrud = Pick<Crud<Selection, z.ZodObject>, 'kind' | 'declared' | 'target'>;

/**
 * Declares the history of a record type: its versions, the state of a version, and its restoration. The permissions,
 * the scope and the errors are those of reading and replacing the record.
 * @param operations of the record type, with its `replace`
 * @throws Error if there is no such operation
 */
export function historyOf<D extends BaseDeps>(
  crud: AnyCrud,
  operations: readonly Operation<D>[],
): Operation<D>[] {
  const { type } = crud.kind;
  const replace = operations.find(({ id }) => id === `${type}.replace`);
  if (!replace) throw new Error(`${type} has no operation to replace a record`);
  return [...readsOf<D>(crud), restoreOf(crud, replace)];
}

/**
 * The sites of some records follow from other records, such as the farm of a dispatcher, and their own events do not say
 * where they were before. Their histories require the permission for all sites.
 */
const reachOf = ({ type, placedBy }: AnyCrud['kind']): { allSites?: true } =>
  resources[type].siteScope === 'by_site' && type !== 'site' && placedBy !== 'site_id'
    ? { allSites: true }
    : {};

function readsOf<D extends BaseDeps>({ kind, declared: { get }, target }: AnyCrud): Operation<D>[] {
  const endpoint = endpointIn<D>();
  const { one } = resources[kind.type];
  const common = { access: get.access, ...(get.sited && { sited: get.sited }), ...reachOf(kind) };
  const names = restorableNames(kind);
  const members = z.object(
    Object.fromEntries(Object.entries(get.returns[1].shape).filter(([name]) => names.includes(name))),
  );
  return [
    endpoint(
      {
        ...common,
        id: `${kind.type}.listVersions`,
        route: `${get.route}/history`,
        summary: `List the versions of ${one}`,
        description:
          'Each write is a version, with the user and the changes. The newest version is the first.',
        params: get.params,
        query: HistoryQuery,
        mayLag: true,
        returns: [200, HistoryPage],
      },
      (ctx, { params, query }) => answerHistory(ctx, kind, target({ params, conditions: {} }), query),
    ),
    endpoint(
      {
        ...common,
        id: `${kind.type}.getVersion`,
        route: `${get.route}/history/{version}`,
        summary: `Read a version of ${one}`,
        params: (get.params as unknown as z.ZodObject).extend({
          version: Id.describe('Identifier of the version.'),
        }) as unknown as z.ZodType<Record<string, string>>,
        returns: [200, versionStateOf(members)],
      },
      (ctx, { params }) => answerVersion(ctx, kind, target({ params, conditions: {} }), params.version ?? ''),
    ),
  ];
}

/** The restoration is a replacement, so all its rules apply. */
function restoreOf<D extends BaseDeps>(
  { kind, declared, target }: AnyCrud,
  replace: Operation<D>,
): Operation<D> {
  const { one } = resources[kind.type];
  const { access, params, route } = declared.replace;
  const { sited } = replace;
  return endpointIn<D>()(
    {
      access,
      ...(sited && { sited }),
      ...reachOf(kind),
      ...(replace.errors && { errors: replace.errors }),
      id: `${kind.type}.restore`,
      route: `POST ${route.slice('PUT '.length) as `/${string}`}/restore`,
      summary: `Restore a version of ${one}`,
      description:
        'Replaces the object with its state at the version. Secrets stay as they are. The version must not refer to objects that no longer exist.',
      params,
      body: { required: RestoreBody },
      conditional: true,
      returns: [200, declared.replace.returns[1].extend({ skipped: Skipped })],
    },
    async (ctx, { params: path, body: { version }, conditions }) => {
      const found = await findVersion(ctx, kind, target({ params: path, conditions }), version);
      if (!found)
        throw invalid({ pointer: '/version', code: 'not_found', detail: 'The object does not exist' });
      const { body, skipped } = restorationOf(kind, found);
      const raw: RawInput = { params: path, query: {}, body, conditions, faults: [], isHead: false };
      const restoring = { ...ctx, restoredVersion: version } as unknown as RequestCtx<D>;
      const answer = await replace.run(restoring, raw);
      return answer instanceof Answer ? withSkipped(answer, skipped) : answer;
    },
  );
}

/** The body of the replacement, and the members that keep their present values. */
function restorationOf<S extends Selection>(
  kind: RecordKind<S>,
  { values, absent, uncertain, row }: VersionState<S>,
): { body: Record<string, unknown>; skipped: string[] } {
  const shown = kind.view(row);
  const kept = [...absent, ...Object.keys(uncertain)];
  const body = { ...values, ...Object.fromEntries(kept.map((name) => [name, shown[name]])) };
  // Null is the default of the members that can have it.
  const set = Object.entries(body).filter(([, value]) => value !== null);
  return { body: Object.fromEntries(set), skipped: [...kind.secrets, ...kept].sort() };
}

const withSkipped = ({ body, headers, revision }: Answer, skipped: string[]): Answer =>
  new Answer({ ...Object(body), skipped }, { headers, revision });
