export { Analytics, type TimeoutOptions, type Stats } from './analytics.ts'
export { AnalyticsCalls } from './calls/analytics-calls.ts'
export type {
  AliasCall,
  EventMap,
  GroupCall,
  IdentifyCall,
  TrackCall,
  ViewCall,
} from './calls/call.ts'
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
export type { FlushResult } from './sending/flushes.ts'
