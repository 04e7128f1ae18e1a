/** The parts of Swagger UI that the reference uses. Data are maps of Immutable. */

/** What a component returns. */
type View = object | string | null | undefined;
// The properties of components are those that Swagger UI passes; each component names the ones that it reads.
export type Component<Props extends object = object> = (props: Props) => View;

export type React = {
  createElement<Props extends object>(
    type: string | symbol | Component<Props>,
    props: Props | Record<string, unknown> | null,
    ...children: unknown[]
  ): View;
  useState<T>(initial: T): [T, (value: T) => void];
  Fragment: symbol;
};

export type DataMap = {
  get(name: string): unknown;
  toJS(): unknown;
};

export type Sequence<Value> = {
  map<Result>(change: (value: Value, key: string) => Result): Sequence<Result>;
  filter(accept: (value: Value, key: string) => boolean): Sequence<Value>;
  find(accept: (value: Value, key: string) => boolean): Value | undefined;
  sortBy(rank: (value: Value, key: string) => number): Sequence<Value>;
  keySeq(): Sequence<string>;
  readonly size: number;
};

export type System = {
  React: React;
  specSelectors: {
    specJson(): DataMap;
    taggedOperations(): Sequence<DataMap>;
  };
  /** The filter is `true` while it is empty. */
  layoutSelectors: { currentFilter(): boolean | string };
};

/** A request as Swagger UI sends it, and as it shows it. */
export type SwaggerRequest = {
  url: string;
  method?: string;
  headers?: Record<string, string>;
  body?: BodyInit | null;
  /** Sends the request instead of `fetch`. */
  userFetch?: (url: string, request: RequestInit) => Promise<Response>;
};
