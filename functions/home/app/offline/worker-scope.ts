/** The used part of the Service Workers specification, whose types exclude those of pages. */
type Work = Event & { waitUntil(work: Promise<unknown>): void };

export type FetchEvent = Work & {
  readonly request: Request;
  /** The answer to a navigation that was requested while the worker started. */
  readonly preloadResponse?: Promise<Response | undefined>;
  respondWith(answer: Promise<Response>): void;
};

type Events = {
  install: Work;
  activate: Work;
  fetch: FetchEvent;
  message: Work & { readonly data: unknown };
};

type WorkerScope = {
  addEventListener<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): void;
  skipWaiting(): Promise<void>;
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { type: 'window'; includeUncontrolled: true }): Promise<readonly { url: string }[]>;
  };
};

export const worker = globalThis as unknown as WorkerScope;
