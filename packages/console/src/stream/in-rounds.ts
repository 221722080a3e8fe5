/**
 * Collects what is told until the work on what was told before has ended, and a pause has, too. So hundreds of changes in a
 * second cause two rounds of requests, and a service that is slow has one round at a time.
 */
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
