import type { MessagePort } from 'node:worker_threads'
import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { LogEvent } from '../telemetry/log-events.ts'
import type { ThreadMetrics } from '../telemetry/metrics-of-threads.ts'
import type { WireError } from './wire-error.ts'

/** What every thread offers to main, besides functions of its own. */
export interface BaseOfThread {
  /** Ends the work. When it resolves, main ends the thread. */
  stop(): Promise<void>
  /** Its metrics as they are now, and what it counted of destinations since the last call. */
  metrics(): Promise<ThreadMetrics>
}

/** What main offers to every thread, besides functions of its own. */
export interface BaseOfMain {
  /** The thread has started, and offers its functions. */
  ready(): void
  log(line: LogLine): void
  activity(call: ActivityCall): void
}

/** A line of the log. `fields` are JSON, without the error in `err`. */
export interface LogLine {
  readonly level: LogEvent['level']
  readonly event: string
  readonly fields: string
  readonly err?: WireError | undefined
}

/** A call of an ActivityListener: the name of the method, and its arguments. */
export type ActivityCall = {
  [Name in keyof ActivityListener]: readonly [Name, ...Parameters<ActivityListener[Name]>]
}[keyof ActivityListener]

/** What a thread is started with. */
export interface ThreadStart<Data> {
  readonly port: MessagePort
  /** The levels of the log that main writes. */
  readonly levels: readonly LogEvent['level'][]
  readonly data: Data
}
