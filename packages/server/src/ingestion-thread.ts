import { joinEmbeddedLog, type JoinLogData } from './backend/embedded/join.ts'
import { errorFormat } from './error-format.ts'
import type {
  IngestMainFunctions,
  IngestThreadData,
  IngestThreadFunctions,
} from './ingest/threads/ingest-threads.ts'
import { runIngest } from './ingest/threads/run-ingest.ts'
import { openTracing } from './telemetry/opentelemetry/open.ts'
import { runThread } from './threads/run-thread.ts'
import { wireError } from './threads/channel.ts'
import { systemClock } from './util/time/clock.ts'
import { VERSION } from './version.ts'

// The composition root of an ingestion thread.

await runThread<IngestThreadFunctions, IngestMainFunctions, IngestThreadData>(async (context) => {
  const { data, main, logger } = context
  const tracing = await openTracing({
    continuesTraces: data.settings.traceContext === 'on',
    version: VERSION,
    clock: systemClock,
    logger,
  })
  const onCorruption = (error: Error): void => main.send('corrupted', wireError(error))
  const joined = await joinEmbeddedLog(data.backend as JoinLogData, { onCorruption })
  return runIngest({ ...context, tracing }, joined, errorFormat)
})
