import type { Nodes } from '../backend/nodes.ts'
import type { Page, PageRequest } from '../backend/page.ts'
import type { Signals } from '../backend/signals.ts'
import { type InspectedRequest, type RequestSummary, summaryOf } from './inspected-request.ts'
import type { Answers, Inspector, KeptCounts, RequestFilter } from './inspector.ts'

export interface SharedInspectorOptions {
  /** The inspector of this node. */
  readonly inspector: Pick<Inspector, 'answers' | 'requests'>
  readonly nodes: Pick<Nodes, 'id'>
  readonly signals: Pick<Signals, 'ask' | 'onAsked'>
}

/** What nodes ask each other. */
type Questions = ReturnType<typeof questionsTo>
type Question = keyof Questions
type Given<Q extends Question> = Parameters<Questions[Q]>
type Answer<Q extends Question> = ReturnType<Questions[Q]>

interface Asked {
  readonly question: Question
  readonly given: unknown
}

/** The inspectors of all nodes as one: each node takes the deliveries that it makes. */
export class SharedInspector {
  readonly #signals: SharedInspectorOptions['signals']
  readonly #own: Questions

  constructor({ inspector, nodes, signals }: SharedInspectorOptions) {
    this.#signals = signals
    this.#own = questionsTo(inspector, nodes.id.slice(0, ID_CHARACTERS))
    signals.onAsked('inspector', async (asked) => {
      const { question, given } = asked as Asked
      return { answer: this.#own[question](given as never) }
    })
    void this.#begin()
  }

  /** The answers of all inspectors. */
  get answers(): Answers {
    return this.#own.answers()
  }

  /** Sets the answers of all inspectors. */
  async respond(answers: Answers): Promise<void> {
    await this.#ask('respond', answers)
  }

  async counts(): Promise<KeptCounts> {
    const counts = await this.#ask('counts')
    const sumOf = (name: keyof KeptCounts) => counts.reduce((sum, each) => sum + each[name], 0)
    return { kept: sumOf('kept'), bytes: sumOf('bytes'), received: sumOf('received') }
  }

  /** A page of the requests that match, the newest first. */
  async list(
    filter: RequestFilter,
    { limit, cursor = '' }: PageRequest,
  ): Promise<Page<RequestSummary>> {
    const before = positionsIn(cursor)
    const all = merged(await this.#ask('list', { filter, limit: limit + 1, before }))
    const page = all.slice(0, limit)
    const reached = page.map(({ node, number }) => [node, number] as const)
    return {
      data: page.map(({ summary }) => summary),
      nextCursor: all.length > limit ? textOf({ ...before, ...Object.fromEntries(reached) }) : null,
    }
  }

  async find(id: string): Promise<InspectedRequest | undefined> {
    const [found] = (await this.#ask('find', id)).filter((each) => each !== null)
    return found && { ...found, body: Buffer.from(found.body, 'base64') }
  }

  /** Removes all requests. Resolves to their number. */
  async clear(): Promise<number> {
    const removed = await this.#ask('clear')
    return removed.reduce((sum, count) => sum + count, 0)
  }

  /** A node that starts responds as the others do. */
  async #begin(): Promise<void> {
    const [others] = await this.#askOthers('answers')
    if (others !== undefined) this.#own.respond(others)
  }

  /** The answers of all nodes, this one first. */
  async #ask<Q extends Question>(question: Q, ...given: Given<Q>): Promise<readonly Answer<Q>[]> {
    const own = this.#own[question](given[0] as never) as Answer<Q>
    return [own, ...(await this.#askOthers(question, ...given))]
  }

  async #askOthers<Q extends Question>(
    question: Q,
    ...given: Given<Q>
  ): Promise<readonly Answer<Q>[]> {
    const asked: Asked = { question, given: given[0] }
    const answers = await this.#signals.ask('inspector', asked)
    return answers.map((each) => (each as { readonly answer: Answer<Q> }).answer)
  }
}

/** Enough to tell the nodes of a service apart: a cursor names each of them. */
const ID_CHARACTERS = 8

interface ListQuestion {
  readonly filter: RequestFilter
  readonly limit: number
  readonly before: Positions
}

/** A request between nodes: its body as base64. */
type EncodedRequest = Omit<InspectedRequest, 'body'> & { readonly body: string }

/** The questions that this node answers. */
function questionsTo(inspector: SharedInspectorOptions['inspector'], node: string) {
  return {
    answers: (): Answers => inspector.answers,
    respond: (answers: Answers): Answers => (inspector.answers = answers),
    counts: (): KeptCounts => inspector.requests.counts,
    list({ filter, limit, before }: ListQuestion): OwnRequests {
      const kept = inspector.requests.newest(filter, { limit, before: before[node] })
      const requests = kept.map(({ number, request }) => ({ number, summary: summaryOf(request) }))
      return { node, requests }
    },
    find(id: string): EncodedRequest | null {
      const request = inspector.requests.find(id)
      return request === undefined ? null : { ...request, body: request.body.toString('base64') }
    },
    clear: (): number => inspector.requests.clear(),
  }
}

/** The number of the request that a page begins after on each node, by the beginning of the node's id. */
type Positions = Readonly<Record<string, number>>

/** The requests of one node for a page, newest first. */
interface OwnRequests {
  readonly node: string
  readonly requests: readonly { readonly number: number; readonly summary: RequestSummary }[]
}

/** The requests of several nodes, newest first. Those of one node stay in their order, even where its clock was set back. */
function merged(all: readonly OwnRequests[]) {
  const rest = all.map(({ node, requests }) => requests.map((each) => ({ node, ...each })))
  const found: (typeof rest)[number] = []
  for (;;) {
    const [next] = rest
      .filter(({ length }) => length > 0)
      .toSorted(([a], [b]) => b!.summary.receivedAt - a!.summary.receivedAt)
    if (next === undefined) return found
    found.push(next.shift()!)
  }
}

function textOf(positions: Positions): string {
  return Object.entries(positions)
    .map(([node, number]) => `${node}=${number}`)
    .join('&')
}

function positionsIn(cursor: string): Positions {
  const entries = [...new URLSearchParams(cursor)]
  return Object.fromEntries(entries.map(([node, number]) => [node, Number(number)]))
}
