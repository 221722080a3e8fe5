import type { Page, Request } from 'playwright-core'

const SETTLED_WITHIN_MS = 30_000

/** The ids of the calls for which the page has no final response. */
export class OutstandingCalls {
  readonly #ids = new Set<string>()
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
    page.on('response', (response) => {
      const status = response.status()
      if (status < 500 && status !== 429) this.#remove(response.request())
    })
  }

  add(id: string): void {
    this.#ids.add(id)
  }

  delete(id: string): void {
    this.#ids.delete(id)
  }

  /** Resolves when no call is left, or after 30 s. */
  async settled(): Promise<void> {
    const end = Date.now() + SETTLED_WITHIN_MS
    while (this.#ids.size > 0 && Date.now() < end) {
      await this.#page.waitForTimeout(50)
    }
  }

  #remove(request: Request): void {
    const body = request.postData()
    if (body === null) return
    for (const id of this.#ids) if (body.includes(JSON.stringify(id))) this.#ids.delete(id)
  }
}
