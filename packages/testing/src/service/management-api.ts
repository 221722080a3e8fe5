import { exchange, type ReceivedResponse } from '../network/http-exchange.ts'

/** The management API of a service, over HTTP. Paths are relative to /api/v1/. */
export class ManagementApi {
  readonly url: string
  readonly #token: string

  constructor(serviceUrl: string, token: string) {
    this.url = serviceUrl
    this.#token = token
  }

  request(method: string, path: string, body?: object): Promise<ReceivedResponse> {
    const headers = { Authorization: `Bearer ${this.#token}` }
    const url = `${this.url}/api/v1/${path}`
    if (body === undefined) return exchange(url, { method, headers })
    return exchange(url, {
      method,
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
  }

  /** Resolves to the body. Throws unless the status is 2xx. */
  async call<T>(method: string, path: string, body?: object): Promise<T> {
    const { status, text } = await this.request(method, path, body)
    if (status >= 300) throw new Error(`${method} ${path} responded with ${status}: ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  /** All pages in a list. @param filter query parameters */
  async listAll<T>(
    list: 'audit' | 'deletions' | 'deliveries' | 'destinations' | 'events' | 'sources' | 'tokens',
    filter: Readonly<Record<string, string>> = {},
  ): Promise<T[]> {
    const query = new URLSearchParams({ limit: '200', ...filter })
    const all: T[] = []
    for (;;) {
      const page = await this.call<{ data: T[]; nextCursor: string | null }>(
        'GET',
        `${list}?${query.toString()}`,
      )
      all.push(...page.data)
      if (page.nextCursor === null) return all
      query.set('cursor', page.nextCursor)
    }
  }
}
