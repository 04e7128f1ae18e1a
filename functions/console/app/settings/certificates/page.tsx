import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import type { Operations } from '../../../../../shared/client/operations.ts';
import { portal } from '../../../../../shared/web/client/session.ts';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { dateText, untilText } from '../../../../../shared/web/text/moments.ts';
import { useNow } from '../../../../../shared/web/text/use-now.ts';
import { LinkButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { Empty, Notice } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Mark } from '../../../../../shared/web/ui/figures/mark.tsx';
import type { Column } from '../../../../../shared/web/ui/table/columns.ts';
import { Table } from '../../../../../shared/web/ui/table/table.tsx';
import { CopyCommand } from '../../records/record/copy-command.tsx';
import { curlOf } from '../../records/requests.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import classes from './certificates.module.css';

type Certificate = Operations['certificate.listOfNodes']['answer']['items'][number];

const limitMs = 30_000;
const dayMs = 86_400_000;
/** Days before its expiry from which a certificate needs attention. */
const soonDays = 30;

/** The certificates of the nodes, those that expire first at the top. */
export function CertificatesPage(): JSX.Element {
  const now = useNow(60_000);
  const { data, error } = useQuery({
    queryKey: ['certificates', 'dispatcher'],
    queryFn: async ({ signal }) => {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
      return (await portal.call('certificate.listOfNodes', {}, { signal: limited })).items;
    },
  });
  const urgent = (data ?? []).filter(({ not_after }) => daysLeft(not_after, now) < soonDays).length;
  return (
    <div class={classes.page}>
      <div class={classes.heading}>
        <h1>{say('certificates_page')}</h1>
        <CopyCommand command={() => curlOf({ method: 'GET', path: '/api/webui/aggregator/certificates' })} />
      </div>
      {error !== null && <ProblemNotice problem={problemOf(error)} />}
      {urgent > 0 && (
        <Notice tone="warn" title={say('certificates_urgent', { count: urgent })}>
          {say('certificates_urgent_text')}
        </Notice>
      )}
      {data?.length === 0 && <None />}
      {data?.length !== 0 && (data || error === null) && (
        <Table
          caption={say('certificates_page')}
          columns={columnsOf(now)}
          rows={data}
          rowKey={({ dispatcher_id, use, subject, not_after }) =>
            [dispatcher_id, use, subject, not_after].join(' ')
          }
          empty={say('certificates_none')}
        />
      )}
    </div>
  );
}

const None = (): JSX.Element => (
  <Empty icon="check" title={say('certificates_none')}>
    <p>{say('certificates_none_text')}</p>
    <LinkButton look="plain" href={addressOf(['dispatcher'])}>
      {say('certificates_nodes')}
    </LinkButton>
  </Empty>
);

const daysLeft = (time: string, now: number): number => (Date.parse(time) - now) / dayMs;

const columnsOf = (now: number): Column<Certificate>[] => [
  {
    key: 'subject',
    header: say('certificate_subject'),
    cell: ({ subject }) => subject,
    sort: ({ subject }) => subject,
  },
  {
    key: 'not_after',
    header: say('certificate_expires'),
    cell: ({ not_after }) => <Expiry time={not_after} now={now} />,
    sort: ({ not_after }) => not_after,
  },
  {
    key: 'use',
    header: say('certificate_use'),
    cell: ({ use }) => say(`certificate_use_${use}`),
    sort: ({ use }) => use,
  },
  {
    key: 'node',
    header: say('certificate_node'),
    cell: (certificate) => <Node certificate={certificate} />,
    sort: ({ dispatcher_name }) => dispatcher_name,
  },
  {
    key: 'issuer',
    header: say('certificate_issuer'),
    cell: ({ issuer, fingerprint }) => (
      <>
        {issuer}
        {fingerprint !== null && <code class={classes.fingerprint}>{fingerprint}</code>}
      </>
    ),
    sort: ({ issuer }) => issuer,
  },
];

const Node = ({
  certificate: { dispatcher_id, dispatcher_name, farm_name, site_name },
}: {
  certificate: Certificate;
}): JSX.Element => (
  <>
    <a href={addressOf(['dispatcher', dispatcher_id])}>{dispatcher_name}</a>
    <p class={classes.quiet}>
      {site_name} · {farm_name}
    </p>
  </>
);

function Expiry({ time, now }: { time: string; now: number }): JSX.Element {
  const days = daysLeft(time, now);
  const late = days < 7 ? 'bad' : 'warn';
  return (
    <Mark tone={days < soonDays ? late : 'good'}>
      {dateText(time)}
      <p class={classes.quiet}>{untilText(time, now)}</p>
    </Mark>
  );
}
