import { type Progress, progressText } from './progress-text.ts'

export interface Screen {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

const REDRAW_EVERY_MS = 100
const LINE_EVERY_MS = 10_000
const ERASE_LINE = '\r\u001b[2K'

/** Shows a progress bar on a terminal; otherwise prints a line every 10 seconds. */
export class ProgressDisplay implements Disposable {
  readonly #screen: Screen
  readonly #read: () => Progress
  readonly #start: Progress
  readonly #startedAt = performance.now()
  readonly #timer: NodeJS.Timeout

  constructor(
    read: () => Progress,
    screen: Screen = process.stderr,
    everyMs = screen.isTTY ? REDRAW_EVERY_MS : LINE_EVERY_MS,
  ) {
    this.#screen = screen
    this.#read = read
    this.#start = read()
    this.#timer = setInterval(() => this.#show(), everyMs).unref()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    if (this.#screen.isTTY) this.#screen.write(ERASE_LINE)
  }

  #show(): void {
    const { isTTY, columns } = this.#screen
    const text = progressText(this.#read(), this.#start, performance.now() - this.#startedAt)
    // A wrapped line could not be erased. Some terminals report 0 columns.
    const fitting = text.slice(0, (columns || 80) - 1)
    this.#screen.write(isTTY ? ERASE_LINE + fitting : `${text}\n`)
  }
}
