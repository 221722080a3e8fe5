import type { Page, PageRequest } from '../backend/page.ts'
import type { Signals } from '../backend/signals.ts'
import { type InspectedRequest, type RequestSummary, summaryOf } from './inspected-request.ts'
import type { Inspector, RequestCounts, RequestFilter, ResponseConfig } from './inspector.ts'

export interface SharedInspectorOptions {
  /** The inspector of this node. */
  readonly inspector: Pick<Inspector, 'responses' | 'requests'>
  readonly signals: Pick<Signals, 'request' | 'onRequest'>
}

type Queries = ReturnType<typeof queriesOf>
type QueryName = keyof Queries
type QueryInput<Q extends QueryName> = Parameters<Queries[Q]>
type QueryResult<Q extends QueryName> = ReturnType<Queries[Q]>
type QueryResults<Q extends QueryName> = Promise<readonly QueryResult<Q>[]>

interface QueryMessage {
  readonly query: QueryName
  readonly input: unknown
}

/** The inspectors of all nodes as one: each node has the requests for its own deliveries. */
export class SharedInspector {
  readonly #signals: SharedInspectorOptions['signals']
  readonly #own: Queries

  constructor({ inspector, signals }: SharedInspectorOptions) {
    this.#signals = signals
    this.#own = queriesOf(inspector)
    signals.onRequest('inspector', async (message) => {
      const { query, input } = message as QueryMessage
      return { result: this.#own[query](input as never) }
    })
    void this.#begin()
  }

  get responses(): ResponseConfig {
    return this.#own.responses()
  }

  async respond(responses: ResponseConfig): Promise<void> {
    await this.#query('respond', responses)
  }

  async counts(): Promise<RequestCounts> {
    const counts = await this.#query('counts')
    const sumOf = (name: keyof RequestCounts) => counts.reduce((sum, each) => sum + each[name], 0)
    return { stored: sumOf('stored'), bytes: sumOf('bytes'), received: sumOf('received') }
  }

  /** A page of the matching requests, newest first. The cursor is the id of the last request on a page. */
  async list(filter: RequestFilter, { limit, cursor }: PageRequest): Promise<Page<RequestSummary>> {
    const lists = await this.#query('list', [filter, { limit: limit + 1, before: cursor }])
    const all = lists.flat().toSorted((a, b) => (a.id < b.id ? 1 : -1))
    const data = all.slice(0, limit)
    return { data, nextCursor: all.length > limit ? data.at(-1)!.id : null }
  }

  async find(id: string): Promise<InspectedRequest | undefined> {
    const [found] = (await this.#query('find', id)).filter((each) => each !== null)
    return found && { ...found, body: Buffer.from(found.body, 'base64') }
  }

  async clear(): Promise<number> {
    const removed = await this.#query('clear')
    return removed.reduce((sum, count) => sum + count, 0)
  }

  /** A starting node adopts the responses configured on the others. */
  async #begin(): Promise<void> {
    const [others] = await this.#queryOthers('responses')
    if (others !== undefined) this.#own.respond(others)
  }

  /** The results from all nodes, this one first. */
  async #query<Q extends QueryName>(query: Q, ...input: QueryInput<Q>): QueryResults<Q> {
    const own = this.#own[query](input[0] as never) as QueryResult<Q>
    return [own, ...(await this.#queryOthers(query, ...input))]
  }

  async #queryOthers<Q extends QueryName>(query: Q, ...input: QueryInput<Q>): QueryResults<Q> {
    const message: QueryMessage = { query, input: input[0] }
    const results = await this.#signals.request('inspector', message)
    return results.map((each) => (each as { readonly result: QueryResult<Q> }).result)
  }
}

type ListQuery = Parameters<Inspector['requests']['newest']>

/** A request between nodes: its body as base64. */
type EncodedRequest = Omit<InspectedRequest, 'body'> & { readonly body: string }

/** The queries that a node handles. */
function queriesOf(inspector: SharedInspectorOptions['inspector']) {
  return {
    responses: (): ResponseConfig => inspector.responses,
    respond: (responses: ResponseConfig): ResponseConfig => (inspector.responses = responses),
    counts: (): RequestCounts => inspector.requests.counts,
    list: (query: ListQuery): RequestSummary[] =>
      inspector.requests.newest(...query).map(summaryOf),
    find(id: string): EncodedRequest | null {
      const request = inspector.requests.find(id)
      return request === undefined ? null : { ...request, body: request.body.toString('base64') }
    },
    clear: (): number => inspector.requests.clear(),
  }
}
