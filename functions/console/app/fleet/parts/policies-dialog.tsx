import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import type { Operations } from '../../../../../shared/client/operations.ts';
import { portal } from '../../../../../shared/web/client/session.ts';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { countText } from '../../../../../shared/web/text/numbers.ts';
import { Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import type { Row } from '../../records/kinds.ts';
import { say } from '../../texts.ts';
import classes from './parts.module.css';

type Policy = Operations['servicespool.policies']['answer'][number];

const limitMs = 30_000;

/** The policies of a pool, as its dispatcher reports them now. */
export function PoliciesDialog({ row, onClose }: { row: Row; onClose: () => void }): JSX.Element {
  const { data, error, isPending } = useQuery({
    queryKey: ['policies', 'servicespool', row.farm_id, row.uuid],
    queryFn: ({ signal }) =>
      portal.call(
        'servicespool.policies',
        {
          path: { service_pool_uuid: String(row.uuid) },
          query: { farm_id: String(row.farm_id) },
        },
        { signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]) },
      ),
    // Each time the dispatcher is asked.
    gcTime: 0,
  });
  const groups = Map.groupBy(data ?? [], ({ group }) => group);
  return (
    <Dialog title={say('fleet_policies_of', { name: String(row.name ?? row.uuid) })} onClose={onClose}>
      {isPending && <Skeleton height="8rem" />}
      {error !== null && <ProblemNotice problem={problemOf(error)} />}
      {data?.length === 0 && <p>{say('fleet_no_policies')}</p>}
      {[...groups].map(([group, policies]) => (
        <section key={group}>
          <h3>{group}</h3>
          <dl class={classes.policies}>
            {policies.map((policy) => (
              <div key={policy.key}>
                <dt>{policy.name}</dt>
                <dd>
                  {valueText(policy.value)} <span class={classes.quiet}>{originOf(policy)}</span>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}

const originOf = ({ inherited, default: usual }: Policy): string =>
  inherited ? say('fleet_inherited') : say('fleet_default', { value: valueText(usual) });

function valueText(value: Policy['value']): string {
  if (value === null || value === '') return '–';
  if (typeof value === 'boolean') return say(value ? 'yes' : 'no');
  if (typeof value === 'number') return countText(value);
  return Array.isArray(value) ? value.join(', ') : value;
}
