import type { Deliveries } from '../../../../packages/server/src/backend/deliveries.ts'
import type { Log } from '../../../../packages/server/src/backend/log.ts'
import type { Sender } from '../../../../packages/server/src/delivery/rounds/attempt-round.ts'
import type { SimulatedBackend } from '../backend/memory-backend.ts'
import type { Tampering } from '../simulation.ts'
import { WatchedHealth } from './watched-health.ts'

/** A bug the engine could have, and what the rules must say of it. */
interface PlantedBug {
  readonly name: string
  readonly tampering: Tampering
  readonly caughtAs: RegExp
}

/** The port with some of its methods replaced. */
function withMethods<T extends object>(port: T, methods: Partial<T>): T {
  return Object.assign(Object.create(port) as T, bound(port), methods)
}

// Methods work on private fields: a wrapper calls them on the port itself.
function bound<T extends object>(port: T): Partial<T> {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(port)) as (keyof T)[]
  const methods = names.filter((name) => name !== 'constructor' && typeof port[name] === 'function')
  return Object.fromEntries(
    methods.map((name) => [name, (port[name] as () => unknown).bind(port)]),
  ) as Partial<T>
}

const inDeliveries = (change: (deliveries: Deliveries) => Partial<Deliveries>): Tampering => ({
  backend: (backend) => ({
    ...backend,
    deliveries: withMethods(backend.deliveries, change(backend.deliveries)),
  }),
})

const inLog = (change: (log: Log) => Partial<Log>): Tampering => ({
  backend: (backend) => ({
    ...backend,
    log: withMethods(backend.log, change(backend.log)),
  }),
})

const inSender = (send: (sender: Sender) => Sender['send']): Tampering => ({
  sender: (sender) => ({ send: send(sender) }),
})

function heedless(deletions: SimulatedBackend['deletions']): SimulatedBackend['deletions'] {
  return {
    isPurged: () => false,
    purgeUser: (userId, until) => deletions.purgeUser(userId, until),
  }
}

class HealthThatKnowsNoRest extends WatchedHealth {
  override blockedUntil(): number {
    return 0
  }
}

/** A hold asks for what is due at any time. */
const isHold = ({ now }: { readonly now: number }): boolean => now === Number.MAX_SAFE_INTEGER

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'a 200 before the events are durable',
    tampering: inLog((log) => ({
      append: async (events) => void log.append(events).catch(() => undefined),
    })),
    caughtAs: /answered 200 and is not kept/,
  },
  {
    name: 'an ack before the records',
    tampering: inLog((log) => ({
      async *consume(options) {
        for await (const entries of log.consume(options)) {
          log.ack(entries).catch(() => undefined)
          yield entries
        }
      },
    })),
    caughtAs: /acked before it was archived|acked without a record/,
  },
  {
    name: 'a record that is said to be kept, and is not',
    tampering: inDeliveries((deliveries) => ({
      record: async (records) => {
        if (records.every(({ delivery }) => !delivery.id.endsWith('g')))
          await deliveries.record(records)
      },
    })),
    caughtAs: /acked without a record/,
  },
  {
    name: 'what a killed process left in the log is passed over',
    tampering: inLog((log) => ({
      async *consume(options) {
        for await (const entries of log.consume(options)) {
          const fresh = entries.filter(({ redelivered }) => !redelivered)
          if (fresh.length > 0) yield fresh
        }
      },
    })),
    caughtAs: /ends underway|ends pending/,
  },
  {
    name: 'a wake-up that is forgotten',
    tampering: inDeliveries(() => ({ nextDue: async () => new Map() })),
    caughtAs: /was idle for/,
  },
  {
    name: 'a claim that is never given back',
    tampering: inDeliveries(() => ({ release: async () => undefined })),
    caughtAs: /was idle for|ends pending/,
  },
  {
    name: 'a claim that two may have',
    tampering: inDeliveries((deliveries) => ({
      async claim(destinationId, options) {
        const claim = await deliveries.claim(destinationId, options)
        await deliveries.release(claim.deliveries.map(({ delivery }) => delivery.id))
        return claim
      },
    })),
    caughtAs: /in flight twice|a record older/,
  },
  {
    name: 'an answer 200 that is taken for a timeout',
    tampering: inSender((sender) => async (request) => {
      const result = await sender.send(request)
      if (result.outcome !== 'delivered' || request.attempt > 1) return result
      return { ...result, outcome: 'retry', class: 'timeout' }
    }),
    caughtAs: /taken 2 times/,
  },
  {
    name: 'a failure that is taken for a delivery',
    tampering: inSender((sender) => async (request) => {
      const result = await sender.send(request)
      return result.status === 500
        ? { ...result, outcome: 'delivered', class: 'delivered' }
        : result
    }),
    caughtAs: /delivered, and only 0 of 1 took it/,
  },
  {
    name: 'a breaker that nobody heeds',
    tampering: { Health: HealthThatKnowsNoRest },
    caughtAs: /was tried while it rests/,
  },
  {
    name: 'a deletion that nobody heeds',
    tampering: { backend: (backend) => ({ ...backend, deletions: heedless(backend.deletions) }) },
    caughtAs: /though its user was deleted/,
  },
  {
    name: 'a pause that holds nothing',
    tampering: inDeliveries((deliveries) => ({
      claim: (destinationId, options) =>
        deliveries.claim(destinationId, isHold(options) ? { ...options, limit: 0 } : options),
    })),
    caughtAs: /is paused, and has deliveries/,
  },
  {
    name: 'a lane that takes more than its window',
    tampering: inDeliveries((deliveries) => ({
      claim: (destinationId, { now, limit }) =>
        deliveries.claim(destinationId, { now, limit: 4 * limit }),
    })),
    caughtAs: /deliveries are in memory/,
  },
  {
    name: 'rounds that are counted anew',
    tampering: inDeliveries((deliveries) => ({
      record: (records) =>
        deliveries.record(
          records.map(({ delivery, attempts }) => ({
            delivery: delivery.rounds === 2 ? { ...delivery, rounds: 0 } : delivery,
            attempts,
          })),
        ),
    })),
    caughtAs: /rounds at once/,
  },
]
