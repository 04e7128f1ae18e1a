import type { JSX } from 'preact';
import { ProblemNotice } from '../problems/problem-notice.tsx';
import { frameText } from '../text/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Badge, Empty, Notice, Progress, Skeleton } from '../ui/feedback/feedback.tsx';
import { Row, Section } from './section.tsx';

const tones = ['info', 'good', 'warn', 'bad'] as const;
const problems = ['connection_failed', 'forbidden', 'rate_limited', 'upstream_timeout', 'internal'];

/** What the portal reports, and what stands for content that is not there. */
export const Feedback = (): JSX.Element => (
  <>
    <Section name="Notice">
      {tones.map((tone) => (
        <Notice key={tone} tone={tone} title={frameText('ended_title')}>
          {frameText('ended_text')}
        </Notice>
      ))}
      <Notice
        tone="info"
        title={frameText('no_network')}
        actions={<Button look="plain">{frameText('again')}</Button>}
      />
    </Section>
    <Section name="ProblemNotice">
      {problems.map((code) => (
        <ProblemNotice key={code} problem={{ code, instance: '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11' }} />
      ))}
    </Section>
    <Section name="feedback">
      <Row>
        {tones.map((tone) => (
          <Badge key={tone} tone={tone}>
            {frameText('scheme_light')}
          </Badge>
        ))}
      </Row>
      <Progress label={frameText('retry_now')} />
      <Progress label={frameText('retry_now')} percent={0} />
      <Progress label={frameText('retry_now')} percent={42} />
      <Progress label={frameText('retry_now')} percent={100} />
      <Skeleton height="4rem" />
      <Empty icon="search" title={frameText('ended_title')}>
        {frameText('ended_text')}
      </Empty>
    </Section>
  </>
);
