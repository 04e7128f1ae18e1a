import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { portal } from '../../../../../shared/web/client/session.ts';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { agoText } from '../../../../../shared/web/text/moments.ts';
import { Button, LinkButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { Empty, Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Mark } from '../../../../../shared/web/ui/figures/mark.tsx';
import { may } from '../../facts.ts';
import { daysText } from '../../overview/sites/node-table.tsx';
import { causeText, stateText, tones } from '../../overview/words.ts';
import type { Extension } from '../../records/extension.ts';
import type { Target } from '../../records/requests.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import { TestCard } from '../connection/test-card.tsx';
import classes from '../setup.module.css';

/** Nodes of a farm that are shown and tested; a farm has a few. */
const mostNodes = 20;

const useNodes = (farmId: string) =>
  useQuery({
    queryKey: ['list', 'dispatcher', farmId],
    queryFn: ({ signal }) =>
      portal.call('dispatcher.list', { query: { farm_id: farmId, limit: mostNodes } }, { signal }),
  });

type FarmNode = NonNullable<ReturnType<typeof useNodes>['data']>['items'][number];

function Parts({ target: { id } }: { target: Target }): JSX.Element | null {
  const { data, error } = useNodes(id);
  const [isTesting, setTesting] = useState(false);
  if (!may(['dispatchers.read'])) return null;
  if (error !== null) return <ProblemNotice problem={problemOf(error)} />;
  if (!data) return <Skeleton height="8rem" />;
  if (data.items.length === 0) return <NoNodes farm={id} />;
  return (
    <>
      <section class={classes.card} aria-labelledby="farm-nodes">
        <div class={classes.cardHead}>
          <h2 id="farm-nodes">{say('setup_nodes')}</h2>
          {may(['dispatchers.update']) && (
            <Button look="plain" disabled={isTesting} onClick={() => setTesting(true)}>
              {say('setup_test_all')}
            </Button>
          )}
        </div>
        <ul class={classes.tree}>
          {data.items.map((node) => (
            <li key={node.id}>
              <NodeLine node={node} />
            </li>
          ))}
        </ul>
      </section>
      {isTesting &&
        data.items.map(({ id: node, name }) => (
          <TestCard key={node} id={node} title={name} isStarted={true} />
        ))}
    </>
  );
}

/** State, circuit breaker, certificate and last probe of a node. */
const NodeLine = ({ node }: { node: FarmNode }): JSX.Element => (
  <div class={classes.line}>
    <a href={addressOf(['dispatcher', node.id])}>{node.name}</a>
    <Mark tone={tones[node.state]}>{stateText(node.state)}</Mark>
    {factsOf(node).map((fact) => (
      <span key={fact} class={classes.quiet}>
        {fact}
      </span>
    ))}
  </div>
);

const factsOf = ({ circuit, certificate, last_check_at, last_error }: FarmNode): string[] => [
  ...(last_error === null ? [] : [causeText(last_error)]),
  ...(circuit === 'closed' ? [] : [say(`circuit_${circuit}`)]),
  ...(certificate === null ? [] : [say('setup_certificate_days', { days: daysText(certificate.days_left) })]),
  last_check_at === null ? say('setup_unchecked') : say('setup_checked', { ago: agoText(last_check_at) }),
];

const NoNodes = ({ farm }: { farm: string }): JSX.Element => (
  <Empty icon="records" title={say('setup_farm_empty')}>
    {may(['dispatchers.create']) && (
      <LinkButton href={addressOf(['dispatcher', 'new'], { farm_id: farm })}>
        {say('setup_next_node')}
      </LinkButton>
    )}
  </Empty>
);

export const farm: Extension = { RecordParts: Parts };
