const TICK_MS = 100

interface Sender {
  /** Sends a batch of `count` calls. */
  send(count: number): Promise<unknown>
}

/** Sends calls at a steady rate. Resolves with their number when all are accepted. */
export async function steadyLoad(
  service: Sender,
  perSecond: number,
  seconds: number,
): Promise<number> {
  const perTick = (perSecond * TICK_MS) / 1_000
  const ticks = (seconds * 1_000) / TICK_MS
  const batches: Promise<unknown>[] = []
  await new Promise<void>((resolve) => {
    const startedAt = performance.now()
    const timer = setInterval(() => {
      // A late timer catches up, to keep the rate.
      const due = Math.min(ticks, Math.floor((performance.now() - startedAt) / TICK_MS))
      while (batches.length < due) batches.push(service.send(perTick))
      if (due < ticks) return
      clearInterval(timer)
      resolve()
    }, TICK_MS / 2)
  })
  await Promise.all(batches)
  return ticks * perTick
}
