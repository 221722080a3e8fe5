import type { Answers } from './answers.ts'
import { type InspectedRequest, summaryOf } from './inspected-request.ts'
import type { Inspector } from './inspector.ts'
import type { KeptCounts, RequestFilter } from './kept-requests.ts'
import type { OwnRequests, Positions } from './pages-of-nodes.ts'

/** What of the inspector of a node is shared. */
export type ToldInspector = Pick<Inspector, 'answers' | 'requests'>

interface ListQuestion {
  readonly filter: RequestFilter
  readonly limit: number
  readonly before: Positions
}

/** A request between nodes: its body as base64. */
type SentRequest = Omit<InspectedRequest, 'body'> & { readonly body: string }

/** What nodes ask each other, as methods. */
export class OwnInspector {
  readonly #inspector: ToldInspector
  readonly #node: string

  constructor(inspector: ToldInspector, node: string) {
    this.#inspector = inspector
    this.#node = node
  }

  answers(): Answers {
    return this.#inspector.answers
  }

  respond(answers: Answers): Answers {
    return (this.#inspector.answers = answers)
  }

  counts(): KeptCounts {
    return this.#inspector.requests.counts
  }

  list({ filter, limit, before }: ListQuestion): OwnRequests {
    const kept = this.#inspector.requests.newest(filter, { limit, before: before[this.#node] })
    const requests = kept.map(({ number, request }) => ({ number, summary: summaryOf(request) }))
    return { node: this.#node, requests }
  }

  find(id: string): SentRequest | null {
    const request = this.#inspector.requests.find(id)
    return request === undefined ? null : { ...request, body: request.body.toString('base64') }
  }

  clear(): number {
    return this.#inspector.requests.clear()
  }
}
