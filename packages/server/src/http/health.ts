import type { FastifyPluginAsync } from 'fastify'
import type { Clock } from '../util/clock.ts'
import { sendJson } from './send-json.ts'

/** One thing the service cannot do without. */
export interface ReadinessCheck {
  readonly name: string
  /** Resolves when it is well; rejects with an Error whose message says what is not. */
  readonly check: () => Promise<void>
}

type Finding = { readonly ok: true } | { readonly ok: false; readonly reason: string }

/**
 * `GET /livez`: 200 while the process answers. `GET /readyz`: 200 when every check is well, else 503;
 * either tells each check by name.
 */
export function healthRoutes(checks: readonly ReadinessCheck[], clock: Clock): FastifyPluginAsync {
  return async (server) => {
    server.get('/livez', (_request, reply) => sendJson(reply, 200, '{"status":"ok"}'))
    server.get('/readyz', async (_request, reply) => {
      const findings = await Promise.all(checks.map(({ check }) => find(check, clock)))
      const ready = findings.every(({ ok }) => ok)
      sendJson(
        reply,
        ready ? 200 : 503,
        JSON.stringify({
          status: ready ? 'ok' : 'unavailable',
          checks: Object.fromEntries(checks.map(({ name }, index) => [name, findings[index]])),
        }),
      )
    })
  }
}

/** Whoever asks has a deadline, too: what is stuck shall not leave the question open. */
const DEADLINE_MS = 5_000

async function find(check: () => Promise<void>, clock: Clock): Promise<Finding> {
  const late = Promise.withResolvers<never>()
  const cancel = clock.after(DEADLINE_MS, () => late.reject(new Error('It does not answer.')))
  try {
    await Promise.race([check(), late.promise])
    return { ok: true }
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) }
  } finally {
    cancel()
  }
}
