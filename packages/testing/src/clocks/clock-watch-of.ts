import { pino } from 'pino'
import { Metrics } from '../../../server/src/telemetry/metrics.ts'
import type { Clock } from '../../../server/src/util/time/clock.ts'
import { ClockWatch } from '../../../server/src/util/workers/clock-watch.ts'

export function clockWatchOf(clock: Clock): ClockWatch {
  return new ClockWatch({ clock, metrics: new Metrics(), logger: pino({ level: 'silent' }) })
}
