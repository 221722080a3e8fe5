import { httpCall } from './http-call.ts'
import { httpStream } from './http-stream.ts'
import { problemFailure } from './problem-failure.ts'
import type { PageShown } from './resources.ts'

type Query = Readonly<Record<string, string>>

/** The management API of a service. Every method throws a Failure where the answer is no success. */
export class ApiClient {
  readonly #base: URL
  readonly #token: string

  constructor(base: URL, token: string) {
    this.#base = base
    this.#token = token
  }

  get<T>(path: string, query: Query = {}): Promise<T> {
    const parameters = new URLSearchParams(query).toString()
    return this.#call<T>('GET', parameters === '' ? path : `${path}?${parameters}`)
  }

  post<T>(path: string, body: object): Promise<T> {
    return this.#call<T>('POST', path, body)
  }

  patch<T>(path: string, body: object): Promise<T> {
    return this.#call<T>('PATCH', path, body)
  }

  put<T>(path: string, body: object): Promise<T> {
    return this.#call<T>('PUT', path, body)
  }

  async delete(path: string): Promise<void> {
    await this.#call('DELETE', path)
  }

  /** All items of a list, page by page. */
  async list<T>(path: string, query: Query = {}): Promise<T[]> {
    const items: T[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const part = { limit: '200', ...(cursor && { cursor }) }
      const page: PageShown<T> = await this.get(path, { ...query, ...part })
      items.push(...page.data)
      cursor = page.nextCursor
    }
    return items
  }

  /** So many items of a list, page by page; pages of a search may be short. */
  async first<T>(path: string, query: Query, count: number): Promise<T[]> {
    const items: T[] = []
    let cursor: string | null = ''
    while (cursor !== null && items.length < count) {
      const limit = `${Math.min(200, count - items.length)}`
      const page: PageShown<T> = await this.get(path, {
        ...query,
        limit,
        ...(cursor && { cursor }),
      })
      items.push(...page.data)
      cursor = page.nextCursor
    }
    return items
  }

  /** An answer that is read while it comes. */
  stream(
    path: string,
    options: { readonly headers?: Record<string, string>; readonly signal?: AbortSignal } = {},
  ): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#token}`, ...options.headers }
    return httpStream(this.#base, `api/v1/${path}`, { ...options, headers })
  }

  async #call<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await httpCall(this.#base, `api/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const hasBody = answer.status !== 204
    if (answer.status >= 300 || (hasBody && answer.body === undefined)) throw problemFailure(answer)
    return answer.body as T
  }
}
