import { randomUUID } from 'node:crypto'
import type { Signals } from '../backend/signals.ts'
import type { CountsRange, CountsRow } from '../backend/statistics.ts'
import type { Clock } from '../util/time/clock.ts'

/** Counts that are not written before they are released. */
export interface HeldCounts {
  readonly rows: readonly CountsRow[]
  readonly release: () => void
}

export interface OtherCountsOptions {
  readonly signals: Pick<Signals, 'ask' | 'onAsked' | 'tell' | 'onTold'>
  readonly clock: Clock
}

/** How long a node holds its counts for another one that has died meanwhile. */
const LONGEST_HELD_MS = 5_000
/** Reads of others at the same time: beyond them, a node answers without its counts. */
const MOST_HELD = 100

interface Question {
  readonly read: string
  readonly range: CountsRange
}

/** The counts of the current minute that other nodes have not written yet. They write them after the read, so no count is twice. */
export class OtherCounts {
  readonly #options: OtherCountsOptions
  readonly #hold: (range: CountsRange) => Promise<HeldCounts>
  /** What this node holds for others, by the read. */
  readonly #held = new Map<string, Held>()

  /** @param hold those of this node */
  constructor(options: OtherCountsOptions, hold: (range: CountsRange) => Promise<HeldCounts>) {
    this.#options = options
    this.#hold = hold
    options.signals.onAsked('statistics', (question) => this.#answer(question as Question))
    options.signals.onTold('statistics', (told) => this.#release((told as Question).read))
  }

  /** Asks for them. Disposing of the result lets the others write. */
  async read(
    range: CountsRange,
  ): Promise<AsyncDisposable & { readonly rows: readonly CountsRow[] }> {
    const { signals } = this.#options
    const question: Question = { read: randomUUID(), range }
    const answers = (await signals.ask('statistics', question)) as readonly (readonly CountsRow[])[]
    return {
      rows: answers.flat(),
      [Symbol.asyncDispose]: async () => {
        // Also to those whose answers came too late.
        signals.tell('statistics', question)
      },
    }
  }

  async #answer({ read, range }: Question): Promise<readonly CountsRow[]> {
    if (this.#held.size >= MOST_HELD) return []
    const held: Held = { end: () => undefined, isOver: false }
    this.#held.set(read, held)
    const { rows, release } = await this.#hold(range)
    held.end = release
    // The other node did not wait so long.
    if (held.isOver) release()
    else held.cancel = this.#options.clock.after(LONGEST_HELD_MS, () => this.#release(read))
    return rows
  }

  #release(read: string): void {
    const held = this.#held.get(read)
    if (held === undefined) return
    this.#held.delete(read)
    held.isOver = true
    held.cancel?.()
    held.end()
  }
}

/** What is held for the read of another node. */
interface Held {
  end: () => void
  isOver: boolean
  /** Cancels the timer of its end. */
  cancel?: () => void
}
