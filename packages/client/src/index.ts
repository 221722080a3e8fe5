export { Analytics, type Patience, type Stats } from './analytics.ts'
export { AnalyticsCalls } from './analytics-calls.ts'
export type { AliasCall, EventMap, GroupCall, IdentifyCall, TrackCall, ViewCall } from './call.ts'
export type { ClientOptions, Fetch, Logger } from './client-options.ts'
export {
  ClientClosedError,
  DeliveryError,
  DroppedError,
  FlushTimeoutError,
  QueueFullError,
  RejectedError,
  type ReportedError,
  ValidationError,
} from './errors.ts'
export type { FlushResult } from './flushes.ts'
