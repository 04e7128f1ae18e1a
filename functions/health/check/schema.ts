/** One component of the health format; `observedValue` is there for the database, in seconds. */
export type ComponentEntry = {
  componentId: string;
  componentType: 'component' | 'datastore';
  observedValue?: number;
  observedUnit?: 's';
  status: 'pass' | 'fail';
};

export type HealthReport = {
  /** Of the health format. */
  version: '7.0';
  description: 'aggregator';
  status: 'pass' | 'fail';
  checks: {
    'celery:connectionTest': ComponentEntry[];
    'database:responseTime': ComponentEntry[];
    'messages_broker:connectionTest': ComponentEntry[];
    'fluentd:connectionTest': ComponentEntry[];
    'sites:connectionTest': ComponentEntry[];
  };
};
