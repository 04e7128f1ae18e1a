import { expect, it } from 'vitest';
import { type GoalFigure, goalLines, isMet } from './goals.ts';

const rate: GoalFigure = { name: 'userinfo', goal: 2_500, better: 'more', measured: 2_500 };
const time: GoalFigure = { name: 'ready', goal: 1_000, better: 'less', measured: 1_000, before: 3_200 };

it.each([
  [rate, true],
  [{ ...rate, measured: 2_499 }, false],
  [time, true],
  [{ ...time, measured: 1_001 }, false],
])('a goal is a limit in the direction of the better figure', (figure, met) => {
  expect(isMet(figure)).toBe(met);
});

it('the table of goals has the figure before, the goal, the measured figure and the result', () => {
  const [, first = '', second = ''] = goalLines([{ ...rate, measured: 461 }, time]);
  expect(first.trim().split(/ {2,}/)).toEqual(['userinfo', '–', '≥ 2500', '461', 'missed']);
  expect(second.trim().split(/ {2,}/)).toEqual(['ready', '3200', '≤ 1000', '1000', 'met']);
});
