/** Collects items until the previous round and its pause have finished, so that many changes cause few requests. */
export function inRounds<Item>(
  work: (items: ReadonlySet<Item>) => Promise<unknown>,
  pause: () => Promise<unknown>,
): (items: Iterable<Item>) => void {
  const next = new Set<Item>()
  let isRunning = false
  const run = async (): Promise<void> => {
    isRunning = true
    while (next.size > 0) {
      const items = new Set(next)
      next.clear()
      await Promise.allSettled([work(items), pause()])
    }
    isRunning = false
  }
  return (items) => {
    for (const item of items) next.add(item)
    if (!isRunning) void run()
  }
}
