import { randomUUID } from 'node:crypto'
import type { RunningService } from '../../harness/running-service.ts'

const TICK_MS = 100

/** Sends calls at a steady rate through `/v1/batch`. Resolves with their number when all were accepted. */
export async function steadyLoad(
  service: RunningService,
  perSecond: number,
  seconds: number,
): Promise<number> {
  const responses: Promise<{ readonly status: number }>[] = []
  const run = randomUUID()
  const perTick = (perSecond * TICK_MS) / 1_000
  const ticks = (seconds * 1_000) / TICK_MS
  let sent = 0
  await new Promise<void>((resolve) => {
    const startedAt = performance.now()
    const timer = setInterval(() => {
      // A timer that came late sends what is missing, so that the rate is what it says.
      const due = Math.min(ticks, Math.floor((performance.now() - startedAt) / TICK_MS))
      for (; sent < due; sent += 1) {
        const batch = Array.from({ length: perTick }, (_, index) =>
          call(run, sent * perTick + index),
        )
        responses.push(service.send('/v1/batch', { batch }))
      }
      if (sent < ticks) return
      clearInterval(timer)
      resolve()
    }, TICK_MS / 2)
  })
  const refused = (await Promise.all(responses)).filter(({ status }) => status !== 200)
  if (refused.length > 0) throw new Error(`${refused.length} batches were refused`)
  return sent * perTick
}

function call(run: string, number: number): object {
  return {
    type: 'track',
    event: ['Order Completed', 'Signed Up', 'Cart Viewed'][number % 3],
    userId: `user-${number % 500}`,
    messageId: `${run}-${number}`,
    properties: { number, total: number * 1.5, currency: 'EUR' },
  }
}
