import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  type Resource,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources'
import { hostname } from 'node:os'
import { LogThrottle } from '../../util/limits/log-throttle.ts'
import { type Clock } from '../../util/time/clock.ts'
import { sleep } from '../../util/time/sleep.ts'
import type { Logger } from '../logger.ts'

/** The description of this process. `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` override it. */
export function resourceOf(version: string): Resource {
  const own = resourceFromAttributes({
    'service.name': 'hookline',
    'service.version': version,
    // The same in all threads.
    'service.instance.id': `${hostname()}-${process.pid}`,
  })
  const detectors = [resourceAttributesEnvDetector, serviceNameEnvDetector]
  return defaultResource().merge(own).merge(detectResources({ detectors }))
}

const LOG_EVERY_MS = 60_000
/** The time limit for the collector during shutdown. */
const FLUSH_MS = 1_000

interface ExportResult {
  /** 0 for success. */
  readonly code: number
  readonly error?: Error
}

interface Exporter<Items> {
  export(items: Items, onResult: (result: ExportResult) => void): void
}

/** Makes the exporter log its failures, at most once a minute. Returns it. */
export function withFailureLog<Items, E extends Exporter<Items>>(
  exporter: E & Exporter<Items>,
  signal: 'traces' | 'metrics',
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): E {
  const failures = new LogThrottle(clock, LOG_EVERY_MS)
  const exportItems = exporter.export.bind(exporter)
  exporter.export = (items, onResult) => {
    exportItems(items, (result) => {
      const reason = reasonOf(result.error)
      if (result.code !== 0)
        failures.count(signal, (failed) =>
          logger.warn({ signal, failed, reason }, 'telemetry.export_failed'),
        )
      onResult(result)
    })
  }
  return exporter
}

/** The message of an error, or its code, without the other properties, which may contain a response. */
function reasonOf(error: Error | undefined): string {
  const { code, message } = (error ?? {}) as { readonly code?: string; readonly message?: string }
  return message || (code ?? 'unknown')
}

/** Waits until the exporter has shut down, for a second at most. */
export async function waitForShutdown(clock: Clock, shutdown: Promise<void>): Promise<void> {
  const done = new AbortController()
  const end = (): void => done.abort()
  shutdown.then(end, end)
  await sleep(clock, FLUSH_MS, done.signal)
}
