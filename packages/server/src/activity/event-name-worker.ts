import type { AcceptedEvent } from '@hookline/protocol'
import type { Backend } from '../backend/backend.ts'
import type { EventNamesState } from '../backend/event-names.ts'
import type { LogSlice } from '../backend/log.ts'
import type { Clock } from '../util/time/clock.ts'
import { sleep } from '../util/time/sleep.ts'
import { TimeSlices } from '../util/time/time-slices.ts'
import type { Worker } from '../util/workers/worker.ts'
import { EventNameCounts } from './event-name-counts.ts'

interface EventNameWorkerOptions extends Pick<Backend, 'eventNames' | 'followedLog'> {
  readonly clock: Clock
}

const SLICE_EVENTS = 500
/** How long new events are collected before a read, and counts before a write. */
const READ_MS = 200
const WRITE_MS = 2_000

/** Counts the names of archived events. Events that a crash leaves uncounted are read again. */
export class EventNameWorker implements Worker {
  readonly name = 'event-names'
  readonly #options: EventNameWorkerOptions

  constructor(options: EventNameWorkerOptions) {
    this.#options = options
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) await this.#follow(await this.#options.eventNames.state(), signal)
  }

  /** Counts events until a write is refused, because a user was purged or another node is counting. */
  async #follow({ through: begin, purges }: EventNamesState, signal: AbortSignal): Promise<void> {
    const { eventNames, followedLog, clock } = this.#options
    const slices = new TimeSlices(clock)
    const counts = new EventNameCounts()
    // Write the first slice immediately: a purge discards unwritten counts, and purges may come more often than WRITE_MS.
    let dueAt = clock.now()
    for (let after = begin, through = begin; !signal.aborted;) {
      const begunAt = clock.now()
      const slice = await followedLog.read({ after: through, limit: SLICE_EVENTS })
      through = await countEvents(slice, counts, slices)
      const isEnd = slice.isEnd && through === slice.through
      if (through > after && (counts.isFull || clock.now() >= dueAt)) {
        const names = counts.changes()
        if (!(await eventNames.add({ after, through, purges, names }))) return
        counts.stored()
        dueAt = clock.now() + WRITE_MS
        after = through
      } else if (isEnd && through === after) {
        await followedLog.appendedAfter(through, signal)
        dueAt = clock.now() + WRITE_MS
      }
      // While it is behind, it sleeps for as long as it worked, so it uses at most half of the thread's time.
      await sleep(clock, isEnd ? READ_MS : clock.now() - begunAt, signal)
    }
  }
}

/** Counts events until there are too many changes. Resolves to the position reached. */
async function countEvents(
  { events, through }: LogSlice,
  counts: EventNameCounts,
  slices: TimeSlices,
): Promise<number> {
  for (const { position, event } of events) {
    await slices.yieldIfOver()
    if (event.origin === undefined) add(counts, event)
    if (counts.isFull) return position
  }
  return through
}

function add(counts: EventNameCounts, event: AcceptedEvent): void {
  try {
    counts.add(event)
  } catch {
    // The pipeline quarantines an event that cannot be parsed.
  }
}
