import type { Sender } from '../../../../packages/server/src/delivery/parts/attempts.ts'
import type { AttemptResult } from '../../../../packages/server/src/delivery/sending/outcome.ts'
import type { WebhookRequest } from '../../../../packages/server/src/delivery/sending/webhook-request.ts'
import type { Clock } from '../../../../packages/server/src/util/time/clock.ts'
import { modeAt, type ReceiverBehaviour, type ResponseMode } from './receiver-behaviour.ts'

const DEADLINE_MS = 5_000

type SimulatedResponse = Omit<AttemptResult, 'startedAt' | 'durationMs'>

export interface NetworkOptions {
  /** By URL. */
  readonly behaviours: ReadonlyMap<string, ReceiverBehaviour>
  readonly random: () => number
  /** When the simulation started. */
  readonly startedAt: number
  /** Called for every request, with its future outcome. */
  readonly onSend: (request: WebhookRequest, outcome: AttemptResult['outcome']) => void
}

/** The network and all receivers. The result of a request is decided when it is sent. */
export class SimulatedNetwork {
  readonly #options: NetworkOptions

  constructor(options: NetworkOptions) {
    this.#options = options
  }

  /** The sender of one process. Responses use the clock of the process, so a killed process receives none. */
  senderFor(clock: Clock): Sender {
    return { send: (request) => this.#send(request, clock) }
  }

  #send(request: WebhookRequest, clock: Clock): Promise<AttemptResult> {
    const { random, startedAt: beginning, onSend } = this.#options
    const behaviour = this.#options.behaviours.get(request.url)!
    const startedAt = clock.now()
    const mode = modeAt(behaviour, startedAt - beginning)
    const { min, max } = behaviour.latencyMs
    const latencyMs = min + Math.floor(random() * (max - min + 1))
    const durationMs = mode === 'hanging' ? DEADLINE_MS : latencyMs
    const response = responseOf(mode, behaviour, random())
    onSend(request, response.outcome)
    const { promise, resolve } = Promise.withResolvers<AttemptResult>()
    clock.after(durationMs, () => resolve({ startedAt, durationMs, ...response }))
    return promise
  }
}

const RESPONSES: Readonly<
  Record<Exclude<ResponseMode, 'flaky' | 'throttling'>, SimulatedResponse>
> = {
  healthy: { outcome: 'delivered', class: 'delivered', status: 200 },
  failing: { outcome: 'retry', class: 'http_5xx', status: 500 },
  hanging: { outcome: 'retry', class: 'timeout' },
  refusing: { outcome: 'retry', class: 'connection_failed' },
  rejecting: { outcome: 'rejected', class: 'http_4xx', status: 404 },
  gone: { outcome: 'rejected', class: 'http_4xx', status: 410 },
}

function responseOf(
  mode: ResponseMode,
  { retryAfterMs }: ReceiverBehaviour,
  random: number,
): SimulatedResponse {
  if (mode === 'flaky') return RESPONSES[random < 0.5 ? 'healthy' : 'failing']
  if (mode !== 'throttling') return RESPONSES[mode]
  return { outcome: 'retry', class: 'http_throttled', status: 429, retryAfterMs }
}
