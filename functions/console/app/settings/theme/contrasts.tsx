import type { JSX } from 'preact';
import {
  contrasting,
  contrastOf,
  grounds,
  readableOn,
} from '../../../../../shared/kernel/pictures/colors.ts';
import { countText } from '../../../../../shared/web/text/numbers.ts';
import { Notice } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { say } from '../../texts.ts';
import classes from './theme.module.css';

/** Below this contrast, text is not readable for everybody (WCAG 2.2, 1.4.3). */
const enough = 4.5;

const ratioText = (ratio: number): string => countText(Number(ratio.toFixed(1)));

/** How readable texts with the primary colour are, and what the pages use instead where it is not readable. */
export function Contrasts({ color }: { color: string }): JSX.Element {
  const onButton = contrastOf(color, contrasting(color));
  return (
    <>
      <dl class={classes.contrasts}>
        <Ratio label={say('theme_contrast_button')} ratio={onButton} />
        <Ratio label={say('theme_contrast_light')} ratio={contrastOf(color, grounds.light)} />
        <Ratio label={say('theme_contrast_dark')} ratio={contrastOf(color, grounds.dark)} />
      </dl>
      {(['light', 'dark'] as const)
        .filter((scheme) => contrastOf(color, grounds[scheme]) < enough)
        .map((scheme) => (
          <Notice key={scheme} tone="warn" title={say(`theme_low_contrast_${scheme}`)}>
            {say('theme_replaced_color', { color: readableOn(grounds[scheme], color) })}
          </Notice>
        ))}
    </>
  );
}

const Ratio = ({ label, ratio }: { label: string; ratio: number }): JSX.Element => (
  <div>
    <dt>{label}</dt>
    <dd class={ratio < enough ? classes.low : ''}>{say('theme_ratio', { ratio: ratioText(ratio) })}</dd>
  </div>
);
