import type { Delivery } from '@hookline/protocol'
import type { ClaimRequest, Deliveries } from '../../../packages/server/src/backend/deliveries.ts'
import type { Log, LogEntry } from '../../../packages/server/src/backend/log.ts'
import type { Sender } from '../../../packages/server/src/delivery/parts/attempts.ts'
import type { SimulatedBackend } from './backend/memory-backend.ts'
import { InstrumentedHealth } from './invariants/instrumentation.ts'
import type { InjectedBug } from './process-opener.ts'

/** A possible bug of the engine, with the violation that the invariants must report. */
export interface PlantedBug {
  readonly name: string
  readonly bug: InjectedBug
  readonly violation: RegExp
}

/** A copy of the port with some of its methods replaced. */
export function withMethods<T extends object>(port: T, methods: Partial<T>): T {
  return Object.assign(Object.create(port) as T, bound(port), methods)
}

// Methods use private fields, so the copy calls them on the original port.
function bound<T extends object>(port: T): Partial<T> {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(port)) as (keyof T)[]
  const methods = names.filter((name) => name !== 'constructor' && typeof port[name] === 'function')
  return Object.fromEntries(
    methods.map((name) => [name, (port[name] as () => unknown).bind(port)]),
  ) as Partial<T>
}

export const inDeliveries = (
  change: (deliveries: Deliveries) => Partial<Deliveries>,
): InjectedBug => ({
  backend: (backend) => ({
    ...backend,
    deliveries: withMethods(backend.deliveries, change(backend.deliveries)),
  }),
})

const inLog = (change: (log: Log) => Partial<Log>): InjectedBug => ({
  backend: (backend) => ({
    ...backend,
    log: withMethods(backend.log, change(backend.log)),
  }),
})

const inSender = (send: (sender: Sender) => Sender['send']): InjectedBug => ({
  sender: (sender) => ({ send: send(sender) }),
})

function withoutPurges(deletions: SimulatedBackend['deletions']): SimulatedBackend['deletions'] {
  return {
    isPurged: () => false,
    purgeUser: (userId, through) => deletions.purgeUser(userId, through),
  }
}

class HealthWithoutBlocks extends InstrumentedHealth {
  override blockedUntil(): number {
    return 0
  }
}

/** Makes a webhook wait for the breakers of the other webhooks of its destination. */
class HealthOfDestination extends InstrumentedHealth {
  readonly #tried = new Map<string, Set<string>>()

  override onAttempt(destinationId: string, url: string): number {
    const urls = this.#tried.get(destinationId) ?? new Set()
    this.#tried.set(destinationId, urls.add(url))
    return super.onAttempt(destinationId, url)
  }

  override blockedUntil(destinationId: string, url: string): number {
    const urls = [url, ...(this.#tried.get(destinationId) ?? [])]
    return Math.max(...urls.map((each) => this.trueBlockedUntil(destinationId, each)))
  }
}

/** Ends all open parts once one webhook has accepted the delivery. */
function withoutSiblings(delivery: Delivery): Delivery {
  if (delivery.state !== 'delivered') return delivery
  const webhooks = delivery.webhooks.map((part) =>
    part.state === 'pending' ? { ...part, state: 'not_retried' as const, dueAt: null } : part,
  )
  return { ...delivery, webhooks }
}

/** Whether a claim is for holding deliveries, which may be due at any time. */
const isHold = ({ due }: ClaimRequest): boolean => due === Number.MAX_SAFE_INTEGER

/** Resets the number of attempts once per delivery. The backend refuses resets, so repeating them would never end. */
function startingAgain(): (delivery: Delivery) => Delivery {
  const done = new Set<string>()
  return (delivery) => {
    if (delivery.attemptCount !== 2 || done.has(delivery.id)) return delivery
    done.add(delivery.id)
    return { ...delivery, attemptCount: 0 }
  }
}

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'a 200 before the events are durable',
    bug: inLog((log) => ({
      append: async (events) => void log.append(events).catch(() => undefined),
    })),
    violation: /response was 200, but it is not durable/,
  },
  {
    name: 'an ack before the records',
    bug: inLog((log) => ({
      async *consume(options) {
        for await (const entries of log.consume(options)) {
          log.ack(entries).catch(() => undefined)
          yield entries
        }
      },
    })),
    violation: /acked before it was archived|acked without a record/,
  },
  {
    name: 'a record that is reported as durable, but is not stored',
    bug: inDeliveries((deliveries) => ({
      record: async (records) => {
        if (records.every(({ delivery }) => !delivery.id.endsWith('g')))
          await deliveries.record(records)
      },
    })),
    violation: /acked without a record/,
  },
  {
    name: 'a pipeline that skips the entries that a killed process left in the log',
    bug: inLog((log) => ({
      async *consume(options) {
        for await (const entries of log.consume(options)) {
          const fresh = entries.filter(({ redelivered }) => !redelivered)
          if (fresh.length > 0) yield fresh
        }
      },
    })),
    violation: /still (?:unrecorded|pending) at the end/,
  },
  {
    name: 'a feed that is not woken for due deliveries',
    bug: inDeliveries(() => ({ waiting: async () => ({ lanes: [], isUnsplit: false }) })),
    violation: /idle for/,
  },
  {
    name: 'a claim that is never released',
    bug: inDeliveries(() => ({ release: async () => undefined })),
    violation: /idle for|still pending at the end/,
  },
  {
    name: 'a 200 response that counts as a timeout',
    bug: inSender((sender) => async (request) => {
      const result = await sender.send(request)
      if (result.outcome !== 'delivered' || request.attempt > 1) return result
      return { ...result, outcome: 'retry', class: 'timeout' }
    }),
    violation: /accepted it 2 times/,
  },
  {
    name: 'a 500 response that counts as delivered',
    bug: inSender((sender) => async (request) => {
      const result = await sender.send(request)
      return result.status === 500
        ? { ...result, outcome: 'delivered', class: 'delivered' }
        : result
    }),
    violation: /recorded as delivered, but only 0 of 1 webhooks accepted it/,
  },
  {
    name: 'a breaker that is ignored',
    bug: { Health: HealthWithoutBlocks },
    violation: /attempted while it was blocked/,
  },
  {
    name: 'a deletion that is ignored',
    bug: { backend: (backend) => ({ ...backend, deletions: withoutPurges(backend.deletions) }) },
    violation: /although its user was deleted/,
  },
  {
    name: 'a pause that does not hold pending deliveries',
    bug: inDeliveries((deliveries) => ({
      claim: (lane, request) =>
        deliveries.claim(lane, isHold(request) ? { ...request, limit: 0 } : request),
    })),
    violation: /paused, but has parts/,
  },
  {
    name: 'a lane that claims more deliveries than fit in its queue',
    bug: inDeliveries((deliveries) => ({
      claim: (lane, { due, limit }) => deliveries.claim(lane, { due, limit: 4 * limit }),
    })),
    violation: /parts in memory/,
  },
  {
    name: 'an attempt count that restarts at 0',
    bug: inDeliveries((deliveries) => {
      const startAgain = startingAgain()
      return {
        record: (records) =>
          deliveries.record(
            records.map(({ delivery, attempts }) => ({ delivery: startAgain(delivery), attempts })),
          ),
      }
    }),
    violation: /changed the number of attempts by/,
  },
  {
    name: 'a delivery that skips the other webhooks after one accepted it',
    bug: inDeliveries((deliveries) => ({
      record: (records) =>
        deliveries.record(
          records.map((each) => ({ ...each, delivery: withoutSiblings(each.delivery) })),
        ),
    })),
    violation: /was skipped without an attempt/,
  },
  {
    name: 'a webhook that waits for the breaker of another one',
    bug: { Health: HealthOfDestination },
    violation: /idle for/,
  },
  {
    name: 'an ack that is held back until there are others',
    bug: inLog((log) => {
      const kept: LogEntry[] = []
      return {
        async ack(entries) {
          kept.push(...entries)
          if (kept.length > 3) await log.ack(kept.splice(0))
        },
      }
    }),
    violation: /not acked for/,
  },
]
