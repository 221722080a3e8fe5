import { exchange, type ReceivedResponse } from './http-exchange.ts'

/** The management API of a service, by HTTP. Paths are relative to /api/v1/. */
export class ManagementApi {
  /** The URL of the service. */
  readonly url: string
  readonly #url: string
  readonly #token: string

  constructor(serviceUrl: string, token: string) {
    this.url = serviceUrl
    this.#url = `${serviceUrl}/api/v1/`
    this.#token = token
  }

  /** Resolves to the response, whatever its status is. */
  request(method: string, path: string, body?: object): Promise<ReceivedResponse> {
    const headers = { Authorization: `Bearer ${this.#token}` }
    if (body === undefined) return exchange(this.#url + path, { method, headers })
    return exchange(this.#url + path, {
      method,
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
  }

  /** Resolves to the body of the response. Throws unless the status is a success. */
  async call<T>(method: string, path: string, body?: object): Promise<T> {
    const { status, text } = await this.request(method, path, body)
    if (status >= 300) throw new Error(`${method} ${path} responded ${status}: ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  /** All pages of a list. */
  async listAll<T>(list: 'events' | 'deliveries' | 'destinations'): Promise<T[]> {
    const all: T[] = []
    for (let cursor = ''; ;) {
      const page = await this.call<{ data: T[]; nextCursor: string | null }>(
        'GET',
        `${list}?limit=200${cursor}`,
      )
      all.push(...page.data)
      if (page.nextCursor === null) return all
      cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`
    }
  }
}
