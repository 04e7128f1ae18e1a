/** Kinds of connection brokers, as the API and the database name them. */
export const dispatcherKinds = ['dispatcher'] as const;
export type DispatcherKindName = (typeof dispatcherKinds)[number];
