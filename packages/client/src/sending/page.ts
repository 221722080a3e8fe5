/** Globals that exist only in a browser. */
interface Browser {
  readonly document?: { readonly visibilityState: string }
  readonly addEventListener?: (
    name: string,
    listener: (event: { readonly type: string }) => void,
    options: { readonly capture: boolean; readonly signal: AbortSignal },
  ) => void
}

/** The page in a browser. Once hidden, it may be discarded at any time. Outside browsers, it is never hidden. */
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
    // Captured at the window, so that `isEnding` is set before the program's own listeners run.
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

  /** Whether the page is hidden or being left: code that runs later may never run. */
  get isEnding(): boolean {
    return this.#isEnding
  }

  close(): void {
    this.#closed.abort()
  }
}
