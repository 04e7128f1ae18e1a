// biome-ignore lint/correctness/noUnresolvedImports: it exports by statements that the linter cannot follow
import type { BrowserContext } from 'playwright-core';
import type { BrowserHandle } from '../../e2e/support/browser.ts';

type Options = NonNullable<Parameters<BrowserHandle['newContext']>[0]>;
type Pooled = { context: BrowserContext; key: string; isLasting: boolean };

export type ContextPool = {
  /** A context of these options, without cookies and data; its files may be cached. */
  take(options: Options): Promise<BrowserContext>;
  /** Closes the pages of a context, and keeps it for the next test with the same options. A second time has no effect. */
  give(context: BrowserContext): Promise<void>;
};

/**
 * Contexts that are used again. A new one has empty caches: it loads and compiles all files of a page again, which takes most of
 * the time of a test.
 * @param origin whose data are deleted between two uses
 */
export function createContextPool(browser: BrowserHandle, origin: string): ContextPool {
  const idle = new Map<string, Pooled[]>();
  const busy = new Map<BrowserContext, Pooled>();
  return {
    take: async (options) => {
      const key = JSON.stringify(options);
      const pooled =
        idle.get(key)?.pop() ?? watched(await browser.newContext(options), key, hasState(options));
      busy.set(pooled.context, pooled);
      return pooled.context;
    },
    give: async (context) => {
      const pooled = busy.get(context);
      if (!pooled) return;
      busy.delete(context);
      if (pooled.isLasting) return context.close();
      await clean(context, origin);
      const others = idle.get(pooled.key) ?? [];
      idle.set(pooled.key, [...others, pooled]);
    },
  };
}

/** Between two uses these would be deleted. */
const hasState = ({ storageState, permissions }: Options): boolean =>
  storageState !== undefined || permissions !== undefined;

/** Notes the use of what stays in a context for good: scripts of all pages, their clock, its end. */
function watched(context: BrowserContext, key: string, isLasting: boolean): Pooled {
  const pooled: Pooled = { context, key, isLasting };
  const note = (target: object, names: readonly string[]) => {
    for (const name of names) {
      const method: (...given: unknown[]) => unknown = Reflect.get(target, name);
      Reflect.set(target, name, (...given: unknown[]) => {
        pooled.isLasting = true;
        return method.apply(target, given);
      });
    }
  };
  note(context, ['addInitScript', 'close', 'exposeFunction', 'exposeBinding']);
  note(context.clock, ['install', 'setFixedTime', 'setSystemTime']);
  return pooled;
}

async function clean(context: BrowserContext, origin: string): Promise<void> {
  await Promise.all(context.pages().map((page) => page.close()));
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  await context.clearCookies();
  await context.clearPermissions();
  await context.setOffline(false);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await page.close();
}
