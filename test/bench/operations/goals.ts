import type { GoalFigure } from '../goals.ts';
import { servicesList } from './cases.ts';
import type { OperationsFigures } from './figures.ts';

/** Requests per second on Node. */
const rates: Readonly<Record<string, number>> = {
  userinfo: 2_500,
  '50 users': 900,
  [servicesList]: 600,
  connectionInfo: 700,
  '200 users': 400,
};
const shareOfFloor = 0.6;

/** Rates, and the share of the floor that each read and connection reaches. */
export const operationGoals = ({ node }: OperationsFigures): GoalFigure[] => [
  ...node.flatMap(({ name, portal, before }): GoalFigure[] => {
    const goal = rates[name];
    if (goal === undefined) return [];
    return [
      {
        name: `${name}, requests/s`,
        ...{ goal, better: 'more', measured: portal.requests_per_s },
        ...(before && { before: before.requests_per_s }),
      },
    ];
  }),
  ...node.flatMap(({ name, ratio }): GoalFigure[] =>
    ratio === undefined || name === 'login'
      ? []
      : [{ name: `${name}, of its floor`, goal: shareOfFloor, better: 'more', measured: ratio }],
  ),
];
