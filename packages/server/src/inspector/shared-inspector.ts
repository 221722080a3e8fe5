import type { Nodes } from '../backend/nodes.ts'
import type { Page, PageRequest } from '../backend/page.ts'
import type { Signals } from '../backend/signals.ts'
import type { Answers } from './answers.ts'
import type { InspectedRequest, RequestSummary } from './inspected-request.ts'
import type { KeptCounts, RequestFilter } from './kept-requests.ts'
import { OwnInspector, type ToldInspector } from './own-inspector.ts'
import { merged, positionsIn, textOf } from './pages-of-nodes.ts'

export interface SharedInspectorOptions {
  /** That of this node. */
  readonly inspector: ToldInspector
  readonly nodes: Pick<Nodes, 'id'>
  readonly signals: Pick<Signals, 'ask' | 'onAsked'>
}

type Question = keyof OwnInspector
type Given<Q extends Question> = Parameters<OwnInspector[Q]>
type Answer<Q extends Question> = ReturnType<OwnInspector[Q]>

interface Asked {
  readonly question: Question
  readonly given: unknown
}

/** The inspectors of all nodes as one: each node takes the deliveries that it makes. */
export class SharedInspector {
  readonly #signals: SharedInspectorOptions['signals']
  readonly #own: OwnInspector

  constructor({ inspector, nodes, signals }: SharedInspectorOptions) {
    this.#signals = signals
    this.#own = new OwnInspector(inspector, nodes.id.slice(0, ID_CHARACTERS))
    signals.onAsked('inspector', async (asked) => {
      const { question, given } = asked as Asked
      return { answer: this.#own[question](given as never) }
    })
    void this.#begin()
  }

  /** What all of them respond. */
  get answers(): Answers {
    return this.#own.answers()
  }

  /** Sets what all of them respond. */
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

  /** Removes all that are kept. Resolves to how many there were. */
  async clear(): Promise<number> {
    const removed = await this.#ask('clear')
    return removed.reduce((sum, count) => sum + count, 0)
  }

  /** A node that starts responds as the others do. */
  async #begin(): Promise<void> {
    const [others] = await this.#askOthers('answers')
    if (others !== undefined) this.#own.respond(others)
  }

  /** The answers of all nodes, that of this one first. */
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
