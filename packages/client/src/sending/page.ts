/** What a browser has, and other environments have not. */
interface Browser {
  readonly document?: { readonly visibilityState: string }
  readonly addEventListener?: (
    name: string,
    listener: (event: { readonly type: string }) => void,
    options: { readonly capture: boolean; readonly signal: AbortSignal },
  ) => void
}

/** The page in a browser. It may end at any time once it is hidden; in other environments it never ends. */
export class Page {
  /** Whether there is a page. */
  readonly isPresent: boolean
  #isEnding = false
  readonly #closed = new AbortController()

  /** Calls `onEnd` whenever the page is hidden or left. */
  constructor(onEnd: () => void) {
    const { document, addEventListener } = globalThis as Browser
    this.isPresent = document !== undefined
    if (!document) return
    // Captured at the window, so that the program's own listeners find the page ending.
    const options = { capture: true, signal: this.#closed.signal }
    for (const name of ['pagehide', 'pageshow', 'visibilitychange']) {
      addEventListener?.(
        name,
        ({ type }) => {
          const isHidden = type === 'visibilitychange' && document.visibilityState === 'hidden'
          this.#isEnding = isHidden || type === 'pagehide'
          if (this.#isEnding) onEnd()
        },
        options,
      )
    }
  }

  /** Whether the page is hidden or left: this code may not run again. */
  get isEnding(): boolean {
    return this.#isEnding
  }

  /** Removes the listeners. */
  close(): void {
    this.#closed.abort()
  }
}
