import type { Config } from '@hookline/server'

/** A service that answers where the configuration says one would listen. */
export interface FoundService {
  readonly isReady: boolean
  /** What is not ready. */
  readonly reason: string
  /** Its clock, in milliseconds since the epoch, to the second. */
  readonly date: number
}

const DEADLINE_MS = 3_000

/** The service that runs by this configuration; `undefined` where none answers. */
export async function serviceAt(config: Config): Promise<FoundService | undefined> {
  const { host, port } = config.adminPort === undefined ? config : adminAddress(config)
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  const name = reachable.includes(':') ? `[${reachable}]` : reachable
  try {
    const answer = await fetch(`http://${name}:${port}/readyz`, {
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    const body = (await answer.json()) as {
      checks: Record<string, { ok: boolean; reason?: string }>
    }
    const bad = Object.entries(body.checks).filter(([, { ok }]) => !ok)
    return {
      isReady: answer.status === 200,
      reason: bad.map(([check, { reason = '' }]) => `${check} (${reason})`).join(', '),
      date: Date.parse(answer.headers.get('date') ?? ''),
    }
  } catch {
    return undefined
  }
}

function adminAddress({ adminHost: host, adminPort: port }: Config) {
  return { host, port }
}
