import { systemClock } from '../../../util/time/clock.ts'
import type { Quarantine, Unreadable } from '../../quarantine.ts'

/** A queue that can look at all that waits in it. */
interface CheckedQueue {
  /** Everything that waits and is damaged, slice by slice. */
  damaged(): Iterable<readonly Unreadable[]>
}

interface Queues {
  readonly deliveries: CheckedQueue
  readonly quarantine: Quarantine
  readonly noticeQueue: CheckedQueue & Quarantine
}

/**
 * Puts what waits and is damaged into quarantine, and tells it. For SQLite a row with a changed byte may be whole: such a
 * delivery would be found when it is due, and one that is held never.
 */
export async function quarantineDamaged(
  { deliveries, quarantine, noticeQueue }: Queues,
  onDamage: ((description: string) => void) | undefined,
): Promise<void> {
  const at = systemClock.wall()
  for (const [queue, to, noun] of [
    [deliveries, quarantine, 'deliveries'],
    [noticeQueue, noticeQueue, 'deletion notices'],
  ] as const) {
    let count = 0
    for (const slice of queue.damaged()) {
      await to.add(slice.map((each) => ({ ...each, at })))
      count += slice.length
    }
    if (count > 0) onDamage?.(`Waiting ${noun} were damaged and are in quarantine: ${count}.`)
  }
}
