import { joinEmbeddedBackend, type ConnectionData } from './backend/embedded/join.ts'
import type {
  LaneMainFunctions,
  LaneThreadData,
  LaneThreadFunctions,
} from './engine/lane-threads/lane-messages.ts'
import { runLanes } from './engine/lane-threads/run-lanes.ts'
import { openTracing } from './telemetry/opentelemetry/open.ts'
import { runThread } from './threads/run-thread.ts'
import { wireError } from './threads/channel.ts'
import { systemClock } from './util/time/clock.ts'
import { VERSION } from './version.ts'

// The composition root of a lane thread.

await runThread<LaneThreadFunctions, LaneMainFunctions, LaneThreadData>(async (context) => {
  const { data, main, logger } = context
  const tracing = await openTracing({
    continuesTraces: data.continuesTraces,
    version: VERSION,
    clock: systemClock,
    logger,
  })
  const backend = await joinEmbeddedBackend(data.backend as ConnectionData, {
    putDestination: (destination) => main.call('putDestination', destination),
    onCorruption: (error) => main.send('corrupted', wireError(error)),
  })
  return runLanes({ ...context, tracing }, backend)
})
