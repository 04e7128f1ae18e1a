import type { SiteState } from '../sites.ts';

/** One component of the health format: `observedValue` of the database, in seconds, and `state` of sites. */
export type ComponentEntry = {
  componentId: string;
  componentType: 'component' | 'datastore';
  observedValue?: number;
  observedUnit?: 's';
  status: 'pass' | 'fail';
  /** The status is `pass` but in the state `fail`. */
  state?: SiteState;
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
