import type { BaseDeps, Ctx } from '../../../shared/context/context.ts';
import type { JobPrincipal } from '../../../shared/context/principal.ts';
import { newTrace } from '../../../shared/context/trace.ts';
import type { Semaphore } from '../../../shared/kernel/concurrency/semaphore.ts';
import type { Parameters } from '../../../shared/kernel/system-parameters.ts';
import { isLanguage } from '../../../shared/messages/languages.ts';

export type JobCtx<D> = Ctx<D, JobPrincipal>;

/** Inputs that a job passes to each unit of work. */
export type JobParts<D> = {
  deps: D;
  principal: JobPrincipal;
  parameters: Parameters;
  upstream: Semaphore;
  now: Date;
};

/**
 * Creates the context of one unit of work of a job, with its own trace. The scope of a job is all sites.
 * @param begun collects the promises of background work, which the job awaits; their failures are logged
 */
export function jobContext<D extends Pick<BaseDeps, 'log'>>(
  { deps, principal, parameters, upstream, now }: JobParts<D>,
  begun: (work: Promise<void>) => void,
): JobCtx<D> {
  const { log } = deps;
  const trace = newTrace();
  const language = parameters['ui.default_language'];
  const background = async (work: Promise<unknown>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      log.warn('background work of a job failed', { job: principal.name, error });
    }
  };
  return {
    deps,
    principal,
    parameters,
    scope: '*',
    language: isLanguage(language) ? language : 'en',
    requestId: trace.requestId,
    trace,
    client: undefined,
    operation: { id: `job.${principal.name}` },
    log,
    now,
    background: (work) => begun(background(work)),
    upstream,
    later: (write) => begun(background(upstream(write))),
  };
}
