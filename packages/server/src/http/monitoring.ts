import type { FastifyPluginAsync, onRequestHookHandler } from 'fastify'
import type { Metrics } from '../telemetry/metrics.ts'
import { type Clock, nextTurn } from '../util/time/clock.ts'
import { sendJson } from './responses.ts'

export interface ReadinessCheck {
  readonly name: string
  /** Resolves if the check passes; else rejects with an Error whose message is the reason. */
  readonly check: () => Promise<void>
  /** A remark for the operator when the check passes. */
  readonly note?: () => string | undefined
}

type CheckResult =
  { readonly ok: true; readonly note?: string } | { readonly ok: false; readonly reason: string }

/** `GET /livez`: 200 while the process responds. `GET /readyz`: 200 if every check passes, else 503, with all results. */
export function healthRoutes(
  checks: readonly ReadinessCheck[],
  clock: Clock,
  guard: readonly onRequestHookHandler[] = [],
): FastifyPluginAsync {
  return async (server) => {
    server.get('/livez', (_request, reply) => sendJson(reply, 200, '{"status":"ok"}'))
    server.get('/readyz', { onRequest: [...guard] }, async (_request, reply) => {
      const readiness = await readinessOf(checks, clock)
      sendJson(reply, readiness.status === 'ok' ? 200 : 503, JSON.stringify(readiness))
    })
  }
}

/** The body of `/readyz`. */
export interface Readiness {
  readonly status: 'ok' | 'unavailable'
  readonly checks: Readonly<Record<string, CheckResult>>
}

export async function readinessOf(
  checks: readonly ReadinessCheck[],
  clock: Clock,
): Promise<Readiness> {
  const results = await Promise.all(
    checks.map(async (check) => [check.name, await run(check, clock)] as const),
  )
  return {
    status: results.every(([, { ok }]) => ok) ? 'ok' : 'unavailable',
    checks: Object.fromEntries(results),
  }
}

/** The time limit of each check. Beyond it, the check fails, so that the caller gets a response in time. */
const DEADLINE_MS = 5_000

async function run({ check, note }: ReadinessCheck, clock: Clock): Promise<CheckResult> {
  const late = Promise.withResolvers<never>()
  const cancel = clock.after(DEADLINE_MS, () => late.reject(new Error('No response.')))
  try {
    await Promise.race([check(), late.promise])
    const text = note?.()
    return { ok: true, ...(text !== undefined && { note: text }) }
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) }
  } finally {
    cancel()
  }
}

/** `GET /metrics`: all metrics in the text format of Prometheus. `guard` runs before it. */
export function metricsRoute(
  metrics: Metrics,
  guard: readonly onRequestHookHandler[] = [],
): FastifyPluginAsync {
  return async (server) => {
    // Simultaneous requests share one scrape, which takes milliseconds.
    let scrape: Promise<Buffer> | undefined
    const scrapeOnce = async (): Promise<Buffer> => {
      try {
        await nextTurn()
        return Buffer.from(await metrics.scrape())
      } finally {
        scrape = undefined
      }
    }
    server.get('/metrics', { onRequest: [...guard] }, async (_request, reply) => {
      const text = await (scrape ??= scrapeOnce())
      void reply.header('content-type', metrics.registry.contentType).send(text)
    })
  }
}
