import type { FastifyPluginAsync } from 'fastify'
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
export function healthRoutes(checks: readonly ReadinessCheck[]): FastifyPluginAsync {
  return async (server) => {
    server.get('/livez', (_request, reply) => sendJson(reply, 200, '{"status":"ok"}'))
    server.get('/readyz', async (_request, reply) => {
      const findings = await Promise.all(checks.map(({ check }) => find(check)))
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

async function find(check: () => Promise<void>): Promise<Finding> {
  try {
    await check()
    return { ok: true }
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) }
  }
}
