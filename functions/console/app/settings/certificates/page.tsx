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
import { kindOf, useKinds } from '../../records/kinds.ts';
import { CopyCommand } from '../../records/record/copy-command.tsx';
import { curlOf } from '../../records/requests.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import classes from './certificates.module.css';

type Certificate = Operations['certificate.listAll']['answer']['items'][number];

const limitMs = 30_000;
const dayMs = 86_400_000;
/** Days before its expiry from which a certificate needs attention. */
const soonDays = 30;

/** The certificates of nodes, domains, peers and webhooks, those that expire first at the top. */
export function CertificatesPage(): JSX.Element {
  const now = useNow(60_000);
  const { data, error } = useQuery({
    queryKey: ['certificates'],
    queryFn: async ({ signal }) => {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
      return (await portal.call('certificate.listAll', {}, { signal: limited })).items;
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
          rowKey={keyOf}
          empty={say('certificates_none')}
        />
      )}
    </div>
  );
}

/** An object can trust several certificates of one authority. */
const keyOf = ({ object_id, use, subject, fingerprint, not_after }: Certificate): string =>
  [object_id, use, fingerprint ?? `${subject} ${not_after}`].join(' ');

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
    cell: (certificate) => <Subject certificate={certificate} />,
    sort: ({ subject }) => subject,
  },
  {
    key: 'not_after',
    header: say('certificate_expires'),
    cell: ({ not_before, not_after }) => <Expiry start={not_before} time={not_after} now={now} />,
    sort: ({ not_after }) => not_after,
  },
  {
    key: 'use',
    header: say('certificate_use'),
    cell: ({ use }) => say(`certificate_use_${use}`),
    sort: ({ use }) => use,
  },
  {
    key: 'owner',
    header: say('certificate_owner'),
    cell: (certificate) => <Owner certificate={certificate} />,
    sort: ({ object_name }) => object_name,
  },
  {
    key: 'issuer',
    header: say('certificate_issuer'),
    cell: ({ issuer, subject }) => (issuer === subject ? say('certificate_self_signed') : issuer),
    sort: ({ issuer }) => issuer,
  },
];

type CertificateProps = { certificate: Certificate };

/** Pairs of digits, as other programs show a fingerprint. */
const inPairs = (hexadecimal: string): string => (hexadecimal.toUpperCase().match(/../g) ?? []).join(':');

const Subject = ({ certificate: { subject, fingerprint } }: CertificateProps): JSX.Element => (
  <>
    {subject}
    {fingerprint === null ? (
      <p class={classes.none}>{say('certificate_no_fingerprint')}</p>
    ) : (
      <code class={classes.fingerprint}>SHA-256 {inPairs(fingerprint)}</code>
    )}
  </>
);

/** The object that the certificate belongs to, with its type, and where it is. */
function Owner({
  certificate: { object_type, object_id, object_name, site_name, farm_name },
}: CertificateProps): JSX.Element {
  const kind = kindOf(useKinds(), object_type);
  const place = [site_name, farm_name].filter((name) => name !== null);
  return (
    <>
      {kind?.get ? <a href={addressOf([object_type, object_id])}>{object_name}</a> : object_name}
      <p class={classes.quiet}>{[say(`certificate_of_${object_type}`), ...place].join(' · ')}</p>
    </>
  );
}

type ExpiryProps = { start: string | null; time: string; now: number };

function Expiry({ start, time, now }: ExpiryProps): JSX.Element {
  const days = daysLeft(time, now);
  const late = days < 7 ? 'bad' : 'warn';
  return (
    <Mark tone={days < soonDays ? late : 'good'}>
      {dateText(time)}
      <p class={classes.quiet}>{untilText(time, now)}</p>
      {start !== null && (
        <p class={classes.quiet}>{say('certificate_valid_from', { start: dateText(start) })}</p>
      )}
    </Mark>
  );
}
