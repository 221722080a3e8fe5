import { collectDefaultMetrics, type Registry } from 'prom-client'
import { EventLoopDelay } from './event-loop-delay.ts'

const HOUR_MS = 3_600_000

/** Adds the metrics of the process that prom-client has, with a delay of the event loop that is our own. */
export function collectProcessMetrics(register: Registry): EventLoopDelay {
  // prom-client looks at the event loop at all times. Its default of 10 ms was nearly all that woke an idle service.
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: HOUR_MS })
  for (const { name } of register.getMetricsAsArray()) {
    if (name.startsWith('nodejs_eventloop_lag_')) register.removeSingleMetric(name)
  }
  return new EventLoopDelay(register)
}
