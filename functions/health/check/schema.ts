import type { ComponentState } from '../../../shared/kernel/observability/component-state.ts';

/** One component of the health format. Only the database has an `observedValue`, in seconds. */
export type ComponentEntry = {
  componentId: string;
  componentType: 'component' | 'datastore';
  observedValue?: number;
  observedUnit?: 's';
  status: 'pass' | 'fail';
  /** `status` is `fail` only if the state is `fail`. */
  state: ComponentState;
};

export type HealthReport = {
  /** Version of the health format. */
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

/** The response for monitors that cannot send headers, for the installation or one site. */
export type HealthSummary = Pick<HealthReport, 'version' | 'status'>;
