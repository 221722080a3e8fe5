import type { Page, PageRequest } from '../backend/page.ts'
import type { Signals } from '../backend/signals.ts'
import { type InspectedRequest, type RequestSummary, summaryOf } from './inspected-request.ts'
import type { Answers, Inspector, KeptCounts, RequestFilter, RequestPage } from './inspector.ts'

export interface SharedInspectorOptions {
  /** The inspector of this node. */
  readonly inspector: Pick<Inspector, 'answers' | 'requests'>
  readonly signals: Pick<Signals, 'request' | 'onRequest'>
}

/** The queries between nodes. */
type Questions = ReturnType<typeof questionsTo>
type Question = keyof Questions
type Given<Q extends Question> = Parameters<Questions[Q]>
type Answer<Q extends Question> = ReturnType<Questions[Q]>

interface Asked {
  readonly question: Question
  readonly given: unknown
}

/** The inspectors of all nodes as one: each node has the requests of its deliveries. */
export class SharedInspector {
  readonly #signals: SharedInspectorOptions['signals']
  readonly #own: Questions

  constructor({ inspector, signals }: SharedInspectorOptions) {
    this.#signals = signals
    this.#own = questionsTo(inspector)
    signals.onRequest('inspector', async (asked) => {
      const { question, given } = asked as Asked
      return { answer: this.#own[question](given as never) }
    })
    void this.#begin()
  }

  get answers(): Answers {
    return this.#own.answers()
  }

  async respond(answers: Answers): Promise<void> {
    await this.#ask('respond', answers)
  }

  async counts(): Promise<KeptCounts> {
    const counts = await this.#ask('counts')
    const sumOf = (name: keyof KeptCounts) => counts.reduce((sum, each) => sum + each[name], 0)
    return { kept: sumOf('kept'), bytes: sumOf('bytes'), received: sumOf('received') }
  }

  /** A page of the matching requests, newest first. The cursor is the id of the last one of a page. */
  async list(filter: RequestFilter, { limit, cursor }: PageRequest): Promise<Page<RequestSummary>> {
    const lists = await this.#ask('list', { filter, page: { limit: limit + 1, before: cursor } })
    const all = lists.flat().toSorted((a, b) => (a.id < b.id ? 1 : -1))
    const data = all.slice(0, limit)
    return { data, nextCursor: all.length > limit ? data.at(-1)!.id : null }
  }

  async find(id: string): Promise<InspectedRequest | undefined> {
    const [found] = (await this.#ask('find', id)).filter((each) => each !== null)
    return found && { ...found, body: Buffer.from(found.body, 'base64') }
  }

  async clear(): Promise<number> {
    const removed = await this.#ask('clear')
    return removed.reduce((sum, count) => sum + count, 0)
  }

  /** A starting node adopts the answers of the others. */
  async #begin(): Promise<void> {
    const [others] = await this.#askOthers('answers')
    if (others !== undefined) this.#own.respond(others)
  }

  /** The results of all nodes, this one first. */
  async #ask<Q extends Question>(question: Q, ...given: Given<Q>): Promise<readonly Answer<Q>[]> {
    const own = this.#own[question](given[0] as never) as Answer<Q>
    return [own, ...(await this.#askOthers(question, ...given))]
  }

  async #askOthers<Q extends Question>(
    question: Q,
    ...given: Given<Q>
  ): Promise<readonly Answer<Q>[]> {
    const asked: Asked = { question, given: given[0] }
    const answers = await this.#signals.request('inspector', asked)
    return answers.map((each) => (each as { readonly answer: Answer<Q> }).answer)
  }
}

interface ListQuestion {
  readonly filter: RequestFilter
  readonly page: RequestPage
}

/** A request between nodes: its body as base64. */
type EncodedRequest = Omit<InspectedRequest, 'body'> & { readonly body: string }

/** The queries that a node handles. */
function questionsTo(inspector: SharedInspectorOptions['inspector']) {
  return {
    answers: (): Answers => inspector.answers,
    respond: (answers: Answers): Answers => (inspector.answers = answers),
    counts: (): KeptCounts => inspector.requests.counts,
    list: ({ filter, page }: ListQuestion): RequestSummary[] =>
      inspector.requests.newest(filter, page).map(summaryOf),
    find(id: string): EncodedRequest | null {
      const request = inspector.requests.find(id)
      return request === undefined ? null : { ...request, body: request.body.toString('base64') }
    },
    clear: (): number => inspector.requests.clear(),
  }
}
