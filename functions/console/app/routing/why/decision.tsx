import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Notice, Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Mark, type MarkTone } from '../../../../../shared/web/ui/figures/mark.tsx';
import { CopyCommand } from '../../records/record/copy-command.tsx';
import { curlOf } from '../../records/requests.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import {
  chosenOf,
  type Explanation,
  explanationPath,
  type Member,
  poolName,
  useExplanation,
} from './explanation.ts';
import { MemberNode } from './member-node.tsx';
import classes from './why.module.css';

/** The decision of a rule for a user, drawn as a tree: the site, the rule, and each pool of it. */
export function Decision({ ruleId, userId }: { ruleId: string; userId: string }): JSX.Element {
  const { data, error } = useExplanation(ruleId, userId);
  if (error !== null && !data) return <ProblemNotice problem={problemOf(error)} />;
  if (!data) return <Skeleton height="16rem" />;
  return (
    <div class={classes.decision}>
      {error !== null && <ProblemNotice problem={problemOf(error)} />}
      <div aria-live="polite">
        <Result explanation={data} />
      </div>
      <ol class={classes.tree} aria-label={say('why_tree')}>
        <SiteNode explanation={data}>
          {data.site.enabled && data.site.for_user && (
            <RuleNode explanation={data}>
              <MemberNodes explanation={data} />
            </RuleNode>
          )}
        </SiteNode>
      </ol>
      <p class={classes.foot}>
        <span>{say('why_from_stored')}</span>
        <CopyCommand
          command={() => curlOf({ method: 'GET', path: explanationPath(ruleId), query: { user_id: userId } })}
        />
      </p>
    </div>
  );
}

function Result({ explanation }: { explanation: Explanation }): JSX.Element {
  const { user, conflict, rule } = explanation;
  const chosen = chosenOf(explanation);
  if (!chosen) return <Notice tone="bad" title={say('why_refused', { user: user.name, rule: rule.name })} />;
  const values = { user: user.name, pool: poolName(chosen), farm: chosen.farm_name ?? '' };
  const isSure = chosen.entitled !== null;
  return (
    <Notice tone={isSure ? 'good' : 'info'} title={say(isSure ? 'why_lands' : 'why_would_try', values)}>
      {conflict && say('why_conflict', { count: conflict.length })}
    </Notice>
  );
}

type NodeProps = { explanation: Explanation; children?: ComponentChildren };

function SiteNode({ explanation: { site, user }, children }: NodeProps): JSX.Element {
  const [tone, text]: [MarkTone, string] = !site.enabled
    ? ['bad', say('why_site_disabled')]
    : !site.for_user
      ? ['bad', say('why_site_not_for_user', { user: user.name, domain: user.domain })]
      : site.maintenance
        ? ['warn', say('why_site_in_maintenance')]
        : ['good', say('why_site_usable')];
  return (
    <Step
      title={say('why_site')}
      name={site.name}
      href={addressOf(['site', site.id])}
      tone={tone}
      text={text}
    >
      {children}
    </Step>
  );
}

function RuleNode({ explanation: { rule, members }, children }: NodeProps): JSX.Element {
  const [tone, text]: [MarkTone, string] = !rule.enabled
    ? ['bad', say('why_rule_disabled')]
    : rule.for_user
      ? ['good', say('why_rule_usable', { count: members.length })]
      : ['bad', say('why_rule_not_for_user')];
  const facts = [
    say(`why_policy_${rule.policy}`),
    say(`why_affinity_${rule.affinity}`),
    rule.failover ? say('why_failover_on') : say('why_failover_off'),
    rule.failover_from_owned ? say('why_owned_leaves') : say('why_owned_stays'),
    ...(rule.by_tags ? [say('why_by_tags')] : []),
  ];
  return (
    <ol>
      <Step
        title={say('why_rule')}
        name={rule.name}
        href={addressOf(['rule', rule.id])}
        tone={tone}
        text={text}
        facts={facts}
      >
        {members.length === 0 ? (
          <p class={classes.quiet}>{say(rule.by_tags ? 'why_no_tagged' : 'why_no_members')}</p>
        ) : (
          children
        )}
      </Step>
    </ol>
  );
}

type StepProps = {
  title: string;
  name: string;
  href: string;
  tone: MarkTone;
  text: string;
  facts?: readonly string[];
  children?: ComponentChildren;
};

const Step = ({ title, name, href, tone, text, facts = [], children }: StepProps): JSX.Element => (
  <li class={classes.step}>
    <div class={classes.box}>
      <div class={classes.head}>
        <h3>
          <span class={classes.quiet}>{title}</span> <a href={href}>{name}</a>
        </h3>
        <Mark tone={tone}>{text}</Mark>
      </div>
      {facts.length > 0 && (
        <ul class={classes.facts}>
          {facts.map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
      )}
    </div>
    {children}
  </li>
);

/** Members drawn at first. A rule can have a thousand. */
const fewMembers = 30;

function MemberNodes({ explanation }: { explanation: Explanation }): JSX.Element {
  const [isAll, setAll] = useState(false);
  const { members } = explanation;
  const shown = isAll ? members : members.slice(0, fewMembers);
  return (
    <>
      <ol>
        {shown.map((member, at) => (
          <MemberNode key={keyOf(member)} explanation={explanation} member={member} number={at + 1} />
        ))}
      </ol>
      {shown.length < members.length && (
        <Button look="plain" onClick={() => setAll(true)}>
          {say('why_show_all', { count: members.length })}
        </Button>
      )}
    </>
  );
}

const keyOf = ({ farm_id, servicepool_uuid }: Member): string => `${farm_id} ${servicepool_uuid}`;
