import type { Sender } from '../../../../packages/server/src/delivery/rounds/attempt-round.ts'
import type { AttemptResult } from '../../../../packages/server/src/delivery/sending/outcome.ts'
import type { WebhookRequest } from '../../../../packages/server/src/delivery/sending/webhook-request.ts'
import type { Clock } from '../../../../packages/server/src/util/clock.ts'
import { type Mood, moodAt, type Weather } from './receiver-weather.ts'

const DEADLINE_MS = 5_000

type Answer = Omit<AttemptResult, 'startedAt' | 'durationMs'>

export interface NetworkOptions {
  /** By URL. */
  readonly weather: ReadonlyMap<string, Weather>
  readonly random: () => number
  /** When the weather begins. */
  readonly startedAt: number
  /** Hears of every request, with how it is going to be answered. */
  readonly onSend: (request: WebhookRequest, outcome: AttemptResult['outcome']) => void
}

/** All receivers there are, and the way to them. What happens to a request is decided as it is sent. */
export class SimulatedNetwork {
  readonly #options: NetworkOptions

  constructor(options: NetworkOptions) {
    this.#options = options
  }

  /** The way out of one process: answers arrive by its clock, so a dead one gets none. */
  senderFor(clock: Clock): Sender {
    return { send: (request) => this.#send(request, clock) }
  }

  #send(request: WebhookRequest, clock: Clock): Promise<AttemptResult> {
    const { random, startedAt: beginning, onSend } = this.#options
    const weather = this.#options.weather.get(request.url)!
    const startedAt = clock.now()
    const mood = moodAt(weather, startedAt - beginning)
    const { least, most } = weather.latencyMs
    const latencyMs = least + Math.floor(random() * (most - least + 1))
    const durationMs = mood === 'hanging' ? DEADLINE_MS : latencyMs
    const answer = answerOf(mood, weather, random())
    onSend(request, answer.outcome)
    const { promise, resolve } = Promise.withResolvers<AttemptResult>()
    clock.after(durationMs, () => resolve({ startedAt, durationMs, ...answer }))
    return promise
  }
}

function answerOf(mood: Mood, weather: Weather, random: number): Answer {
  switch (mood) {
    case 'healthy':
      return { outcome: 'delivered', class: 'delivered', status: 200 }
    case 'flaky':
      return answerOf(random < 0.5 ? 'healthy' : 'failing', weather, random)
    case 'failing':
      return { outcome: 'retry', class: 'http_5xx', status: 500 }
    case 'throttling':
      return {
        outcome: 'retry',
        class: 'http_throttled',
        status: 429,
        retryAfterMs: weather.retryAfterMs,
      }
    case 'hanging':
      return { outcome: 'retry', class: 'timeout' }
    case 'refusing':
      return { outcome: 'retry', class: 'connection_failed' }
    case 'rejecting':
      return { outcome: 'rejected', class: 'http_4xx', status: 404 }
    case 'gone':
      return { outcome: 'rejected', class: 'http_4xx', status: 410 }
  }
}
