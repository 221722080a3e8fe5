import type { AcceptedEvent } from '@hookline/protocol'
import type { Backend } from '../backend/backend.ts'
import type { Deletions } from '../backend/deletions.ts'
import type { Deliveries, RecordedDelivery } from '../backend/deliveries.ts'
import type { Archiving, Events } from '../backend/events.ts'
import type { Log } from '../backend/log.ts'
import type { Witness } from './witness.ts'

/** The backend, with someone who is told of what it keeps, once it is kept. The parts that use it know nothing of it. */
export function witnessedBackend(backend: Backend, witness: Witness): Backend {
  const { log, events, deliveries, deletions } = backend
  const append = async (appended: readonly AcceptedEvent[]): Promise<void> => {
    await log.append(appended)
    witness.received(appended)
  }
  const archive: Events['archive'] = async (entries) => {
    const duplicates = await events.archive(entries)
    for (const entry of entries) tellDecisions(entry, duplicates.has(entry.event.id), witness)
    return duplicates
  }
  const record = async (records: readonly RecordedDelivery[]): Promise<void> => {
    await deliveries.record(records)
    for (const each of records) witness.recorded(each)
  }
  const purge: Deletions['purge'] = async (slice) => {
    const cursor = await deletions.purge(slice)
    if (slice.cursor === undefined) witness.purged(slice)
    return cursor
  }
  return {
    ...backend,
    [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
    log: withOwn<Log>(log, { append }),
    events: withOwn<Events>(events, { archive }),
    deliveries: withOwn<Deliveries>(deliveries, { record }),
    deletions: withOwn<Deletions>(deletions, { purge }),
  }
}

function tellDecisions({ event, declined }: Archiving, isDuplicate: boolean, to: Witness): void {
  if (isDuplicate) return to.decided({ event, destinationId: null, decision: 'duplicate' })
  for (const { destinationId, reason } of declined) {
    to.decided({ event, destinationId, decision: reason })
  }
}

/** `port` with some methods replaced; all others are its own. */
function withOwn<T extends object>(port: T, own: Partial<T>): T {
  return new Proxy(port, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return own[name as keyof T]
      const value: unknown = Reflect.get(target, name, target)
      // Adapters keep their state in #fields, which only they themselves can reach.
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
