import type { JSX } from 'preact';
import { Mark, type MarkTone } from '../../../../../shared/web/ui/figures/mark.tsx';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import { type Explanation, type Member, poolName } from './explanation.ts';
import { type Cause, causeOf, placeOf } from './remedies.ts';
import classes from './why.module.css';

type MemberNodeProps = { explanation: Explanation; member: Member; number: number };

const tones: Record<Member['outcome'], MarkTone> = { chosen: 'good', candidate: 'none', excluded: 'bad' };

/** A pool of the rule: whether it is used, at which stage it falls out, and what would change that. */
export function MemberNode({ explanation, member, number }: MemberNodeProps): JSX.Element {
  const { outcome, obstacles, farm_id, farm_name } = member;
  const isExcluded = outcome === 'excluded';
  const causes = isExcluded
    ? obstacles.map((obstacle) => causeOf(explanation, member, obstacle))
    : placeOf(explanation, member);
  return (
    <li class={`${classes.node} ${classes[outcome]}`} data-outcome={outcome}>
      <div class={classes.head}>
        {!isExcluded && (
          <span class={classes.number} aria-hidden="true">
            {number}
          </span>
        )}
        <h4>
          {poolName(member)}{' '}
          <span class={classes.quiet}>
            {farm_name === null ? (
              say('why_unknown_farm')
            ) : (
              <a href={addressOf(['farm', farm_id])}>{farm_name}</a>
            )}
          </span>
        </h4>
        <Mark tone={tones[outcome]}>{say(`why_outcome_${outcome}`)}</Mark>
      </div>
      <Stages member={member} />
      <Causes causes={causes} isExcluded={isExcluded} />
    </li>
  );
}

const stages = ['member', 'farm', 'entitlement', 'pool', 'node'] as const;

/** The stages that a member passes, in the order in which they are checked. */
const Stages = ({ member: { obstacles, entitled } }: { member: Member }): JSX.Element => {
  const failed = new Set(obstacles.map(({ step }) => step));
  const toneOf = (stage: string): MarkTone => {
    if (failed.has(stage)) return 'bad';
    return stage === 'entitlement' && entitled === null ? 'none' : 'good';
  };
  return (
    <ol class={classes.stages} aria-label={say('why_stages')}>
      {stages.map((stage) => (
        <li key={stage}>
          <Mark tone={toneOf(stage)}>
            {say(`why_stage_${stage}`)}
            <span class="unseen">
              {say(
                `why_stage_is_${toneOf(stage) === 'none' ? 'unknown' : toneOf(stage) === 'bad' ? 'bad' : 'good'}`,
              )}
            </span>
          </Mark>
        </li>
      ))}
    </ol>
  );
};

const Causes = ({ causes, isExcluded }: { causes: readonly Cause[]; isExcluded: boolean }): JSX.Element => (
  <ul
    class={classes.causes}
    aria-label={isExcluded ? say('why_excluded_because') : say('why_placed_because')}
  >
    {causes.map(({ text, remedies }) => (
      <li key={text}>
        <span>{text}</span>
        {remedies.map((one) => (
          <a key={one.href} class={classes.remedy} href={one.href}>
            {one.text}
          </a>
        ))}
      </li>
    ))}
  </ul>
);
