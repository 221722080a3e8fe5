const TICK_MS = 100

interface Sender {
  /** Sends a batch of so many calls. */
  send(count: number): Promise<unknown>
}

/** Sends calls at a steady rate. Resolves with their number when all were accepted. */
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
      // A timer that came late sends what is missing, so that the rate is what it says.
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
