import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Node } from './node.ts'
import type { Source } from './cluster.ts'

/** A call that got a 200, with times of `performance.now`. */
export interface AcceptedCall {
  readonly node: Node
  readonly sentAt: number
  readonly acceptedAt: number
}

const SENDERS_OF_A_NODE = 2
const PAUSE_MS = 40
const MAX_CALLS = 5
const MAX_NOTE_BYTES = 400
/** After this time, a client stops waiting and sends to another node. */
const TIMEOUT_MS = 10_000

/** Sends calls from all sources to all nodes, and records the calls that got a 200, which the cluster must never lose. */
export class Traffic {
  /** By messageId. */
  readonly accepted = new Map<string, AcceptedCall>()
  /** The number of calls, with any response. */
  sent = 0
  readonly #sources: readonly Source[]
  readonly #random: () => number

  constructor(sources: readonly Source[], random: () => number) {
    this.#sources = sources
    this.#random = random
  }

  /** Sends to a node until `signal` aborts. */
  async run(node: Node, signal: AbortSignal): Promise<void> {
    const senders = Array.from({ length: SENDERS_OF_A_NODE }, async () => {
      while (!signal.aborted) {
        const source = this.#sources[Math.floor(this.#random() * this.#sources.length)]!
        await this.send(node, source, this.#calls())
        await sleep(PAUSE_MS)
      }
    })
    await Promise.all(senders)
  }

  /**
   * Sends a call for each source through a node until each call has got a 200. Resolves to their
   * messageIds.
   */
  async probe(node: Node, signal: AbortSignal): Promise<readonly string[]> {
    const probes = this.#sources.map(async (source) => {
      const calls = [newCall('')]
      while (!signal.aborted && !(await this.send(node, source, calls))) await sleep(PAUSE_MS)
      return calls.map(({ messageId }) => messageId)
    })
    return (await Promise.all(probes)).flat()
  }

  /** Whether the calls got a 200. */
  async send(node: Node, { writeKey }: Source, batch: readonly Call[]): Promise<boolean> {
    this.sent += batch.length
    const sentAt = performance.now()
    if (!(await isAccepted(node, writeKey, batch))) return false
    const acceptedAt = performance.now()
    for (const { messageId } of batch) this.accepted.set(messageId, { node, sentAt, acceptedAt })
    return true
  }

  #calls(): readonly Call[] {
    const note = (): string => 'x'.repeat(Math.floor(this.#random() * MAX_NOTE_BYTES))
    return Array.from({ length: 1 + Math.floor(this.#random() * MAX_CALLS) }, () => newCall(note()))
  }
}

type Call = ReturnType<typeof newCall>

function newCall(note: string) {
  return {
    type: 'track',
    event: 'Order Completed',
    userId: 'u1',
    messageId: randomUUID(),
    properties: { note },
  }
}

/** Whether calls got a 200. Only the status counts: a kill may cut off the body. */
export async function isAccepted(
  { url }: Node,
  writeKey: string,
  batch: readonly object[],
): Promise<boolean> {
  try {
    const response = await fetch(`${url}/v1/batch`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${writeKey}:`)}` },
      body: JSON.stringify({ batch }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.arrayBuffer().catch(() => undefined)
    return response.status === 200
  } catch {
    // The node was killed, is cut off or is not ready.
    return false
  }
}
