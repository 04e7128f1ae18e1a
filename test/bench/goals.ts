import { row } from './rows.ts';

/** A measured figure and its goal, which is a lower limit for `more` and an upper limit for `less`. */
export type GoalFigure = {
  name: string;
  goal: number;
  better: 'more' | 'less';
  measured: number;
  /** The other checkout of the run. */
  before?: number;
};

export const isMet = ({ goal, better, measured }: GoalFigure): boolean =>
  better === 'more' ? measured >= goal : measured <= goal;

/** The table of goals, which closes the output. */
export const goalLines = (goals: readonly GoalFigure[]): string[] => [
  row('Goals', '', 'before', 'goal', 'measured', ''),
  ...goals.map((figure) =>
    row(
      `  ${figure.name}`.padEnd(36),
      figure.before === undefined ? '–' : String(figure.before),
      `${figure.better === 'more' ? '≥' : '≤'} ${figure.goal}`,
      String(figure.measured),
      isMet(figure) ? 'met' : 'missed',
    ),
  ),
  '',
];
