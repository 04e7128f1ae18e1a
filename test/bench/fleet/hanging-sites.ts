import { setTimeout as delay } from 'node:timers/promises';
import { quantile } from '../../structure/sizes.ts';
import { rounded } from '../load.ts';
import type { FleetNode, FleetStand } from './stand.ts';

type Sample = { requests: number; p50_ms: number; p99_ms: number };
export type HangingFigures = {
  sites: number;
  hanging: number;
  /** Requests for the sites that answer, while all do, and while some hang. */
  without: Sample;
  with: Sample;
  ratio: { p50: number; p99: number };
};

/** Users of the sites that answer, and of the others. */
const users = 4;
const othersEveryMs = 100;

/**
 * The effect of hanging sites on users of other sites. The number of requests for the hanging sites is the same as
 * before, when they answered: both rounds have the same load.
 */
export async function measureHangingSites(fleet: FleetStand, roundS: number): Promise<HangingFigures> {
  const { others, hang } = fleet;
  const hanging = others.slice(0, others.length / 4);
  const answering = others.slice(hanging.length);
  const pools = await poolsOf(fleet, others);
  await round(fleet, pools, answering, hanging, roundS / 4);
  const without = await round(fleet, pools, answering, hanging, roundS);
  await hang(hanging);
  const withHanging = await round(fleet, pools, answering, hanging, roundS);
  await hang([]);
  const ratioOf = (figure: 'p50_ms' | 'p99_ms') => rounded(withHanging[figure] / without[figure], 2);
  return {
    sites: others.length,
    hanging: hanging.length,
    without,
    with: withHanging,
    ratio: { p50: ratioOf('p50_ms'), p99: ratioOf('p99_ms') },
  };
}

/** A service of each site. */
async function poolsOf({ ask }: FleetStand, nodes: readonly FleetNode[]): Promise<Map<FleetNode, string>> {
  const pools = new Map<FleetNode, string>();
  for (const node of nodes) {
    const { body } = await ask(node.siteUri, 'servicesList/');
    pools.set(node, body.services[0].id);
  }
  return pools;
}

async function round(
  { ask, forget }: FleetStand,
  pools: ReadonlyMap<FleetNode, string>,
  answering: readonly FleetNode[],
  hanging: readonly FleetNode[],
  roundS: number,
): Promise<Sample> {
  await forget();
  const took: number[] = [];
  const endsAt = performance.now() + roundS * 1_000;
  const isOver = () => performance.now() >= endsAt;
  const work = async (user: number): Promise<void> => {
    for (let n = user; !isOver(); n++) {
      const node = answering[n % answering.length];
      if (!node) return;
      const what = n % 2 === 0 ? 'servicesList/' : `preconnectionInfo/${pools.get(node)}`;
      const { status, tookMs } = await ask(node.siteUri, what);
      if (status !== 200) throw new Error(`a site that answers was ${status}`);
      took.push(tookMs);
    }
  };
  const late: Promise<unknown>[] = [];
  const disturb = async (): Promise<void> => {
    for (let n = 0; !isOver(); n++) {
      const node = hanging[n % hanging.length];
      if (node) late.push(ask(node.siteUri, 'servicesList/'));
      await delay(othersEveryMs);
    }
  };
  await Promise.all([disturb(), ...Array.from({ length: users }, (_, user) => work(user))]);
  await Promise.all(late);
  return {
    requests: took.length,
    p50_ms: rounded(quantile(took, 0.5), 1),
    p99_ms: rounded(quantile(took, 0.99), 1),
  };
}
