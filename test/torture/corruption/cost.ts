import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { CorruptionBase } from './bases.ts'
import type { Corruption } from './corruption.ts'
import { type Page, readEvents, readPages } from './database.ts'
import { pagesInLog } from './write-ahead-log.ts'

const PAGE_BYTES = 4096

/** The maximum number of lost events that corruption of a base can account for. */
export class Costs {
  readonly #base: CorruptionBase
  readonly #pages: ReturnType<typeof readPages>
  readonly #inLog: ReadonlySet<number>

  constructor(base: CorruptionBase) {
    this.#base = base
    const copy = `${base.path}-pages`
    cpSync(base.path, copy, { recursive: true })
    this.#inLog = pagesInLog(join(copy, 'hookline.db-wal'))
    this.#pages = readPages(copy)
  }

  /** @param untouched a copy of the corrupted folder that no service has opened */
  of({ kind, file, from, to }: Corruption, untouched: string): number {
    if (file === 'hookline.db') {
      // Nothing of the original file is left.
      const isGone = kind === 'removed' || kind === 'emptied' || kind === 'older copy'
      return isGone ? Infinity : this.#onPages(from, to)
    }
    if (file !== 'hookline.db-wal') return 0
    const { events } = this.#base
    return (
      events.length -
      readEvents(
        untouched,
        events.map(({ seq }) => seq),
      ).length
    )
  }

  /**
   * The events on the pages of a range and on their child pages. Index pages, and pages that are also in the write-ahead log,
   * cost nothing.
   */
  #onPages(from: number, to: number): number {
    let events = 0
    for (let page = Math.floor(from / PAGE_BYTES) + 1; page <= Math.ceil(to / PAGE_BYTES); page++) {
      const found = this.#pages.get(page)
      if (found?.name !== 'events' || this.#inLog.has(page)) continue
      if (found.type === 'overflow') events += 1
      else events += this.#below(found)
    }
    return events
  }

  #below({ path }: Page): number {
    const leaves = [...this.#pages.values()].filter(
      (page) => page.name === 'events' && page.type === 'leaf' && page.path.startsWith(path),
    )
    return leaves.reduce((sum, { cells }) => sum + cells, 0)
  }
}
